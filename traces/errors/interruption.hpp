#pragma once

/// \file Cooperative cancellation: long-running work polls a callback that the caller installed.

#include <exception>
#include <functional>

namespace keyswap {

/// Thrown by poll_interruption(). Work that polls must own no resource but memory.
class Interrupted final : public std::exception {
  public:
    [[nodiscard]] char const* what() const noexcept override { return "interrupted"; }
};

/// While an instance exists, work on its thread polls its callback. Instances do not nest.
class InterruptionPoll {
  public:
    /// \param wants_end called often; returns true to cancel the work
    explicit InterruptionPoll(std::function<bool()> wants_end);
    ~InterruptionPoll();
    InterruptionPoll(InterruptionPoll const&) = delete;
    InterruptionPoll& operator=(InterruptionPoll const&) = delete;

  private:
    std::function<bool()> wants_end_;
};

/// Negligible cost if no InterruptionPoll exists on this thread. \throws Interrupted
void poll_interruption();

} // namespace keyswap
