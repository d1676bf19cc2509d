#pragma once

#include "traces/errors/input_error.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
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
    /// \pre all threads have ended
    [[nodiscard]] Expected<void> result() const {
        return error_ ? tl::unexpected(*error_) : Expected<void>{};
    }

  private:
    std::mutex mutex_;
    std::optional<InputError> error_;
};

/// Reads, works and writes at the same time, on three threads. The first failure ends all three.
/// \param read fills `loaded`; `work` takes from it and fills `worked`, which `write` takes from
/// \param free what the three wait for besides
template <class Read, class Loaded, class Work, class Worked, class Write, class... Free>
Expected<void> carry_out_stages(Read const& read,
                                HandOver<Loaded>& loaded,
                                Work const& work,
                                HandOver<Worked>& worked,
                                Write const& write,
                                HandOver<Free>&... free) {
    FirstError errors;
    auto const guard = [&](Expected<void> const& result) {
        if (!errors.take(result)) {
            loaded.abandon();
            worked.abandon();
            (free.abandon(), ...);
        }
    };
    std::thread reader([&] {
        guard(read());
        loaded.close();
    });
    std::thread writer([&] { guard(write()); });
    guard(work());
    worked.close();
    reader.join();
    writer.join();
    return errors.result();
}

} // namespace keyswap::tools
