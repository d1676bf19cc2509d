#pragma once

#include "traces/errors/input_error.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace keyswap {

/// Where a file's bytes go, from front to back. A sink that is dropped before finish() leaves
/// nothing behind.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    [[nodiscard]] virtual Expected<void> write(std::string_view bytes) = 0;
    /// Completes the file and gives it its name.
    [[nodiscard]] virtual Expected<void> finish() = 0;
};

/// A file that appears when it is complete (AtomicFile), compressed where its name ends in ".gz"
/// or ".zst".
[[nodiscard]] Expected<std::unique_ptr<ByteSink>> create_bytes(std::filesystem::path const& path);

} // namespace keyswap
