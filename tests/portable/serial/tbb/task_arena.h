#pragma once

namespace tbb {

class task_arena {
public:
  static constexpr int automatic = -1;
  explicit task_arena(int) {}
  int max_concurrency() const { return 1; }
  template <class Work> void execute(const Work& work) { work(); }
};

}  // namespace tbb
