#include "viewer/stop.h"
#include <csignal>

namespace viewer {

namespace {

volatile std::sig_atomic_t came = 0;

void on_signal(int signal) {
  came = signal;
  if (signal == SIGINT)  // a second one ends at once; who sends SIGTERM may send it twice, as `timeout` does
    std::signal(signal, SIG_DFL);
}

}  // namespace

void listen_for_stop() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
}

int stop_signal() {
  return came;
}

}  // namespace viewer
