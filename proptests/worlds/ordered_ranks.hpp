#pragma once

/// \file Ranks whose message delivery order is chosen by the test.

#include "model/ranks/communicator.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::proptests {

/// [rank] number of completed steps
using RankSteps = std::vector<std::uint64_t>;

/// Ranks as threads of this process. Sends do not block: a message is in flight until its receiver
/// continues. A waiting rank receives all messages of its step at once: they have different
/// destinations and it sees none before all have arrived, so one delivery order within a step
/// represents all. The order decides which of the ranks whose messages have all been sent continues
/// next; all other ranks remain blocked.
class OrderedRanks {
  public:
    /// Chooses the next rank to continue. \param ready ascending, not empty \returns index into it
    using Order =
        std::function<std::size_t(RankSteps const& steps, std::vector<std::uint32_t> const& ready)>;
    /// May change a rank's messages before delivery. \param messages [source] of that step
    using Change = std::function<void(
        std::uint32_t rank, std::uint64_t step, std::vector<std::vector<std::byte>>& messages)>;

    /// \pre count > 0
    OrderedRanks(std::uint32_t count, Order order, Change change = {});
    OrderedRanks(OrderedRanks const&) = delete;
    OrderedRanks& operator=(OrderedRanks const&) = delete;

    /// Runs `work` on every rank. \returns true if all ranks ran to their end; false if some waited
    /// for messages that were never sent, and were aborted. \pre called once per object; `work`
    /// catches all its exceptions
    [[nodiscard]] bool run(std::function<void(model::Communicator&)> const& work);

  private:
    class End;
    enum class State { running, waiting, ended };
    struct Rank {
        State state = State::running;
        std::span<std::span<std::byte> const> receives;
        std::string problem; ///< why its step failed; empty on success
    };

    void exchange(std::uint32_t rank,
                  std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives);
    void end(std::uint32_t rank);
    [[nodiscard]] bool schedule();
    [[nodiscard]] std::vector<std::uint32_t> ready() const;
    void deliver(std::uint32_t rank);
    void give_up();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::vector<Rank> ranks_;
    RankSteps steps_;
    std::vector<std::vector<std::deque<std::vector<std::byte>>>> sent_; ///< [source][destination]
    Order order_;
    Change change_;
};

} // namespace keyswap::proptests
