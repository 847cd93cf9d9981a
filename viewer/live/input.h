#pragma once
// Mouse and keyboard, where no panel wants them.
namespace viewer {

class App;

// seconds: since the last frame. True: the picture is another one now.
bool read_input(App& app, float seconds);

// What the keys do, a line each: the key, what it does.
struct KeyHelp {
  const char *key, *what;
};
extern const KeyHelp key_help[];
extern const int key_help_count;

}  // namespace viewer
