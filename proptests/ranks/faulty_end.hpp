#pragma once

/// \file Faults of a rank in a given step, injected at its endpoint, for tests.

#include "model/ranks/communicator.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <thread>
#include <vector>

namespace keyswap::proptests {

enum class RankFault {
    ends,            ///< takes part in no further step
    is_killed,       ///< the process is killed by SIGKILL
    hangs,           ///< blocks well beyond the others' patience: a process by SIGSTOP
    is_slow,         ///< delays within the others' patience: not a fault
    cuts_message,    ///< shortens its first non-empty message by a byte
    adds_to_message, ///< lengthens its first non-empty message by a byte
    other_version,   ///< announces a different version in the start-up step
    fills_disk       ///< cannot write any more bytes
};

inline constexpr std::array rank_fault_names{"ends",
                                             "is_killed",
                                             "hangs",
                                             "is_slow",
                                             "cuts_message",
                                             "adds_to_message",
                                             "other_version",
                                             "fills_disk"};

enum class RankKind { thread, process };

/// RAII: no file can grow in this process, as on a full disk.
class FullDisk {
  public:
    FullDisk() {
        ::getrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit full = before_;
        full.rlim_cur = 0;
        ::setrlimit(RLIMIT_FSIZE, &full);
    }
    FullDisk(FullDisk const&) = delete;
    FullDisk& operator=(FullDisk const&) = delete;
    ~FullDisk() { ::setrlimit(RLIMIT_FSIZE, &before_); }

  private:
    rlimit before_{};
};

/// A rank's endpoint that applies a fault in one step.
class FaultyEndpoint final : public model::Communicator {
  public:
    /// \param step name of the step; affects its first occurrence (other_version: every one)
    /// \param delay duration of a hang or slowdown
    FaultyEndpoint(model::Communicator& end,
                   RankKind kind,
                   RankFault fault,
                   std::string step,
                   std::chrono::milliseconds delay)
        : end_(end), kind_(kind), fault_(fault), step_(std::move(step)), delay_(delay) {}

    std::uint32_t rank() const override { return end_.rank(); }
    std::uint32_t size() const override { return end_.size(); }
    void exchange(std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives) override {
        if (step != step_ || (has_come_ && fault_ != RankFault::other_version)) {
            end_.exchange(step, sends, receives);
            return;
        }
        has_come_ = true;
        apply_fault();
        std::vector<std::span<std::byte const>> sent(sends.begin(), sends.end());
        std::vector<std::byte> announced(sends[rank()].begin(), sends[rank()].end());
        std::vector<std::byte> longer;
        if (fault_ == RankFault::cuts_message) {
            for_first_message(sent,
                              [](auto& message) { message = message.first(message.size() - 1); });
        } else if (fault_ == RankFault::adds_to_message) {
            for_first_message(sent, [&](auto& message) {
                longer.assign(message.begin(), message.end());
                longer.push_back(std::byte{7});
                message = longer;
            });
        } else if (fault_ == RankFault::other_version) {
            announced[std::min<std::size_t>(announced.size() - 1, 8)] ^=
                std::byte{1}; // of "keyswap 0.1.0"
            sent.assign(sent.size(), announced);
        }
        end_.exchange(step, sent, receives);
    }

    /// True once the rank has reached the step.
    [[nodiscard]] bool reached_step() const { return has_come_; }

  private:
    void apply_fault() {
        switch (fault_) {
        case RankFault::ends:
            throw std::runtime_error("ends on purpose");
        case RankFault::is_killed:
            std::raise(SIGKILL);
            break;
        case RankFault::hangs:
            if (kind_ == RankKind::process) {
                stop();
                break;
            }
            [[fallthrough]];
        case RankFault::is_slow:
            std::this_thread::sleep_for(delay_);
            break;
        case RankFault::fills_disk:
            full_disk_.emplace();
            break;
        case RankFault::cuts_message:
        case RankFault::adds_to_message:
        case RankFault::other_version:
            break;
        }
    }

    /// Stops the process; a system timer continues it after the delay.
    void stop() const {
        sigevent event{};
        event.sigev_notify = SIGEV_SIGNAL;
        event.sigev_signo = SIGCONT;
        timer_t timer{};
        itimerspec time{};
        time.it_value.tv_sec = delay_.count() / 1000;
        time.it_value.tv_nsec = delay_.count() % 1000 * 1'000'000;
        if (::timer_create(CLOCK_MONOTONIC, &event, &timer) != 0 ||
            ::timer_settime(timer, 0, &time, nullptr) != 0) {
            std::abort(); // nothing would ever continue the process
        }
        std::raise(SIGSTOP);
        ::timer_delete(timer);
    }

    /// Applies `change` to the first non-empty message to another rank.
    template <class Change>
    void for_first_message(std::vector<std::span<std::byte const>>& sent, Change change) const {
        for (std::uint32_t peer = 0; peer < size(); ++peer) {
            if (peer != rank() && !sent[peer].empty()) {
                return change(sent[peer]);
            }
        }
    }

    model::Communicator& end_;
    RankKind kind_;
    RankFault fault_;
    std::string step_;
    std::chrono::milliseconds delay_;
    bool has_come_ = false;
    std::optional<FullDisk> full_disk_;
};

} // namespace keyswap::proptests
