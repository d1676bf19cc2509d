#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

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

} // namespace keyswap::tools
