#pragma once

#include "model/ranks/communicator.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace keyswap::model {

/// Ranks that are threads of this process: each looks into the others' messages, so that nothing is
/// copied twice.
class ThreadRanks {
  public:
    /// \param patience how long a rank waits for the others at a step
    /// \pre count > 0
    ThreadRanks(std::uint32_t count, std::chrono::milliseconds patience);
    ~ThreadRanks();
    ThreadRanks(ThreadRanks const&) = delete;
    ThreadRanks& operator=(ThreadRanks const&) = delete;

    /// The end of one rank. \pre rank < count; this object outlives the end
    [[nodiscard]] std::unique_ptr<Communicator> end(std::uint32_t rank);

    /// Runs `work` on every rank at once, each on a thread of its own, and waits for all.
    /// \pre called once; the work catches what it throws
    void run(std::function<void(Communicator&)> const& work);

  private:
    class Board;
    class End;
    std::unique_ptr<Board> board_;
};

} // namespace keyswap::model
