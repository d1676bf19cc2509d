#pragma once

#include "traces/errors/input_error.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace keyswap {

/// A sequential sink for a file's bytes. Destroying it before finish() leaves nothing
/// behind.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    [[nodiscard]] virtual Expected<void> write(std::string_view bytes) = 0;
    /// Completes the file and gives it its name; call it once, last.
    [[nodiscard]] virtual Expected<void> finish() = 0;
};

/// An AtomicFile as a sink, compressed if its name ends in ".gz"
/// or ".zst".
[[nodiscard]] Expected<std::unique_ptr<ByteSink>> create_bytes(std::filesystem::path const& path);

} // namespace keyswap
