#pragma once

#include "traces/errors/input_error.hpp"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// FIFO queue between two threads. It needs no capacity: the number of buffers in circulation
/// bounds its length.
template <class T>
class BlockingQueue {
  public:
    /// \return false if the queue is closed; the item is then dropped
    bool push(T item) {
        std::scoped_lock const lock(mutex_);
        if (closed_) {
            return false;
        }
        items_.push_back(std::move(item));
        changed_.notify_one();
        return true;
    }

    /// Blocks until an item arrives. \return nullopt once the queue is closed and empty
    std::optional<T> pop() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return closed_ || !items_.empty(); });
        if (items_.empty()) {
            return std::nullopt;
        }
        std::optional<T> item(std::move(items_.front()));
        items_.pop_front();
        return item;
    }

    /// Refuses further items; pop() still returns the queued ones.
    void close() {
        std::scoped_lock const lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    /// Refuses further items and drops the queued ones, after an error.
    void abandon() {
        std::scoped_lock const lock(mutex_);
        closed_ = true;
        items_.clear();
        changed_.notify_all();
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<T> items_;
    bool closed_ = false;
};

/// Keeps the first error of several threads.
class FirstError {
  public:
    /// \return true if no error has been recorded so far
    bool take(Expected<void> result) {
        std::scoped_lock const lock(mutex_);
        if (!result && !error_) {
            error_ = result.error();
        }
        return !error_;
    }
    [[nodiscard]] Expected<void> result() const {
        std::scoped_lock const lock(mutex_);
        return error_ ? tl::unexpected(*error_) : Expected<void>{};
    }

  private:
    mutable std::mutex mutex_;
    std::optional<InputError> error_;
};

/// A stage of a pipeline.
struct Stage {
    std::function<Expected<void>()> run;
    std::function<void()> close; ///< closes the output queue once `run` has returned; may be empty
};

/// Runs stages concurrently, the second one on the calling thread, where it may throw. The first
/// error ends all stages.
/// \param abandon abandons every queue that a stage may wait on
template <std::size_t count>
Expected<void> run_pipeline(std::array<Stage, count> const& stages,
                            std::function<void()> const& abandon) {
    static_assert(count >= 2);
    FirstError errors;
    auto const carry_out = [&](Stage const& stage) {
        if (!errors.take(stage.run())) {
            abandon();
        }
        if (stage.close) {
            stage.close();
        }
    };
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < count; ++i) {
        if (i != 1) {
            threads.emplace_back([&carry_out, &stage = stages[i]] { carry_out(stage); });
        }
    }
    try {
        carry_out(stages[1]);
    } catch (...) {
        abandon();
        threads.clear();
        throw;
    }
    threads.clear();
    return errors.result();
}

} // namespace keyswap::tools
