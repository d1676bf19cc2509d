#pragma once

/// \file What a process does at a request to terminate, as mpirun sends to the other ranks once one
/// has ended: it says at which step it was, and removes the files that it has begun. Signals are
/// the process's, and so is what is remembered here.

#include "model/ranks/communicator.hpp"

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace keyswap::tools {

/// Removes the file if the process is asked to terminate (SIGTERM, SIGINT, SIGHUP).
void remember_partial(std::filesystem::path const& partial);
void forget_partial(std::filesystem::path const& partial);

/// A rank that is a process of its own: while this lives, SIGTERM makes it say at which step it
/// was.
class TrackedSteps final : public model::Communicator {
  public:
    /// \pre `end` outlives this object; there is one such object at a time
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
