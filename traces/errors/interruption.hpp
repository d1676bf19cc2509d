#pragma once

/// \file How a program that calls Keyswap's own long work ends it: the work asks now and then.

#include <exception>
#include <functional>

namespace keyswap {

/// Thrown by poll_interruption(), through work that holds nothing but memory.
class Interrupted final : public std::exception {
  public:
    [[nodiscard]] char const* what() const noexcept override { return "interrupted"; }
};

/// While one lives, work on its thread asks it whether to end.
class InterruptionPoll {
  public:
    /// \param wants_end called often; true ends the work
    explicit InterruptionPoll(std::function<bool()> wants_end);
    ~InterruptionPoll();
    InterruptionPoll(InterruptionPoll const&) = delete;
    InterruptionPoll& operator=(InterruptionPoll const&) = delete;

  private:
    std::function<bool()> wants_end_;
};

/// Costs nothing worth mentioning where no poll lives. \throws Interrupted
void poll_interruption();

} // namespace keyswap
