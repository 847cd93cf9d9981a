#include "engine/io/background.h"
#include <utility>

namespace talus {

Background::Background(std::size_t waiting_most) : waiting_most_(waiting_most), thread_([this] { work(); }) {}

Background::~Background() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Background::post(std::function<void()> task) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.size() < waiting_most_ || failed_; });
  rethrow();
  if (failed_)
    return;
  tasks_.push_back(std::move(task));
  changed_.notify_all();
}

void Background::finish() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return tasks_.empty() || failed_; });
  rethrow();
}

void Background::rethrow() {
  if (error_)
    std::rethrow_exception(std::exchange(error_, nullptr));
}

void Background::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ends_ || !tasks_.empty(); });
    if (tasks_.empty() || failed_)
      return;
    lock.unlock();
    std::exception_ptr error;
    try {
      tasks_.front()();  // post() leaves the first one where it is
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    tasks_.pop_front();
    if (error) {
      error_ = error;
      failed_ = true;
      tasks_.clear();
    }
    changed_.notify_all();
    if (failed_)
      return;
  }
}

}  // namespace talus
