#pragma once

/// \file Ranks whose messages arrive in an order that a test chooses.

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

/// Steps that each rank has ended. [rank]
using RankSteps = std::vector<std::uint64_t>;

/// Ranks that are threads. A message is on its way when it is sent, and its sender goes on; a rank
/// that waits has all messages of its step at once, since they go to different places and it sees
/// none before it has all: of orders in which messages of one step reach one rank, one stands for
/// all. What is chosen is which of the ranks whose messages have all been sent goes on; the others
/// stay where they are.
class OrderedRanks {
  public:
    /// Which of the ranks goes on. \param ready at least one, ascending \returns an index of it
    using Order =
        std::function<std::size_t(RankSteps const& steps, std::vector<std::uint32_t> const& ready)>;
    /// May change what a rank is sent before it has it. \param messages [source] in that step
    using Change = std::function<void(
        std::uint32_t rank, std::uint64_t step, std::vector<std::vector<std::byte>>& messages)>;

    /// \pre count > 0
    OrderedRanks(std::uint32_t count, Order order, Change change = {});
    OrderedRanks(OrderedRanks const&) = delete;
    OrderedRanks& operator=(OrderedRanks const&) = delete;

    /// Runs `work` on every rank. \returns whether all came to their end; else some waited for
    /// messages that nobody sends, and were given up \pre called once; the work catches what it
    /// throws
    [[nodiscard]] bool run(std::function<void(model::Communicator&)> const& work);

  private:
    class End;
    enum class State { running, waiting, ended };
    struct Rank {
        State state = State::running;
        std::span<std::span<std::byte> const> receives;
        std::string problem; ///< why its step failed; empty if it did not
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
