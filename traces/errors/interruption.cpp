#include "traces/errors/interruption.hpp"

#include <utility>

namespace keyswap {

namespace {

thread_local std::function<bool()> const* active_poll = nullptr;

} // namespace

InterruptionPoll::InterruptionPoll(std::function<bool()> wants_end)
    : wants_end_(std::move(wants_end)) {
    active_poll = &wants_end_;
}

InterruptionPoll::~InterruptionPoll() {
    active_poll = nullptr;
}

void poll_interruption() {
    if (active_poll != nullptr && (*active_poll)()) {
        throw Interrupted();
    }
}

} // namespace keyswap
