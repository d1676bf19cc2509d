#pragma once

#include "traces/errors/input_error.hpp"

#include <filesystem>
#include <memory>
#include <string_view>

namespace keyswap {

/// A sequential sink for a file's bytes. Destroying it before finish() discards the file and leaves
/// nothing behind.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    [[nodiscard]] virtual Expected<void> write(std::string_view bytes) = 0;
    /// Completes the file and gives it its name; call it once, last.
    [[nodiscard]] virtual Expected<void> finish() = 0;
};

/// Writes an AtomicFile, compressed with gzip or zstd if its name ends in ".gz" or ".zst". Fails
/// early if the path cannot be written.
[[nodiscard]] Expected<std::unique_ptr<ByteSink>> create_bytes(std::filesystem::path const& path);

} // namespace keyswap
