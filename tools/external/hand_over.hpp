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

/// What one thread hands to another, in order. It holds at most as many as there are buffers, which
/// are what is bounded.
template <class T>
class HandOver {
  public:
    /// \return false once closed: the item is dropped
    bool push(T item) {
        std::scoped_lock const lock(mutex_);
        if (closed_) {
            return false;
        }
        items_.push_back(std::move(item));
        changed_.notify_one();
        return true;
    }

    /// Waits for an item. \return nullopt once closed and empty
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

    /// No more items come; those that are here are still taken.
    void close() {
        std::scoped_lock const lock(mutex_);
        closed_ = true;
        changed_.notify_all();
    }

    /// The same, without those that are here: something failed.
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

/// The first error of several threads.
class FirstError {
  public:
    /// \return whether there is none yet
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

/// A part of a pipeline.
struct Stage {
    std::function<Expected<void>()> run;
    std::function<void()> close; ///< what it hands over, once it has ended; may be empty
};

/// Runs stages at the same time, the second one on the calling thread, which may throw. The first
/// failure ends all.
/// \param abandon everything that any of them waits for
template <std::size_t count>
Expected<void> carry_out_stages(std::array<Stage, count> const& stages,
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
