#pragma once

#include "model/ranks/communicator.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace keyswap::model {

/// Ranks as threads of this process. Receivers copy directly from the senders' messages, without an
/// intermediate buffer.
class ThreadRanks {
  public:
    /// \param patience time limit for waiting for other ranks in a step
    /// \pre count > 0
    ThreadRanks(std::uint32_t count, std::chrono::milliseconds patience);
    ~ThreadRanks();
    ThreadRanks(ThreadRanks const&) = delete;
    ThreadRanks& operator=(ThreadRanks const&) = delete;

    /// The endpoint of a rank. \pre rank < count; this object outlives the endpoint
    [[nodiscard]] std::unique_ptr<Communicator> end(std::uint32_t rank);

    /// Runs `work` on all ranks, one thread each, and joins them.
    /// \pre called once; `work` does not throw
    void run(std::function<void(Communicator&)> const& work);

  private:
    class Board;
    class End;
    std::unique_ptr<Board> board_;
};

} // namespace keyswap::model
