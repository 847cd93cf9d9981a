#pragma once

namespace viewer {

// From now on SIGINT and SIGTERM are noted; a second SIGINT ends the program at once.
void listen_for_stop();
int stop_signal();  // that came; 0: none

}  // namespace viewer
