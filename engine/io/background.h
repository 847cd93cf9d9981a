#pragma once
// Work that is done behind the caller, in order, by one thread.
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace talus {

// The first task that throws is the last that is done; post() and finish() throw what it threw, once.
class Background {
public:
  // post() waits where so many tasks are waiting already, so that what they hold is bounded.
  explicit Background(std::size_t waiting_most);
  ~Background();  // waits for all tasks
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  void post(std::function<void()> task);
  void finish();  // waits until every task is done

private:
  void work();
  void rethrow();

  const std::size_t waiting_most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> tasks_;  // the first is under way
  std::exception_ptr error_;
  bool failed_ = false, ends_ = false;
  std::thread thread_;
};

}  // namespace talus
