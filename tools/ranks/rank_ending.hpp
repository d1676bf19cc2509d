#pragma once

/// \file Termination of a process on SIGTERM, which mpirun sends to the other ranks once one has
/// ended: reports the current step and removes unfinished files. Signal handlers and their state
/// are global to the process.

#include "model/ranks/communicator.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace keyswap::tools {

/// Registers a file to remove on a request to terminate (SIGTERM, SIGINT, SIGHUP).
void remember_partial(std::filesystem::path const& partial);
void forget_partial(std::filesystem::path const& partial);

/// Communicator of a rank that is a process: during its lifetime, SIGTERM reports the current
/// step.
class TrackedSteps final : public model::Communicator {
  public:
    /// \pre `end` outlives this object; at most one instance exists
    explicit TrackedSteps(model::Communicator& end);
    ~TrackedSteps() override;

    std::uint32_t rank() const override { return end_.rank(); }
    std::uint32_t size() const override { return end_.size(); }
    void exchange(std::string_view step,
                  std::span<std::span<std::byte const> const> sends,
                  std::span<std::span<std::byte> const> receives) override;

  private:
    model::Communicator& end_;
};

} // namespace keyswap::tools
