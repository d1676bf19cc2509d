#pragma once

#include "traces/input_error.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace keyswap {

/// Bytes that are read from front to back.
class ByteSource {
  public:
    virtual ~ByteSource() = default;
    /// Fills the front of `block` and returns how many bytes that were; 0 only at the end.
    /// \pre block is not empty
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<char> block) = 0;
};

/// The file's bytes as they are.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>>
open_raw_bytes(std::filesystem::path const& path);

/// Bytes in memory, for tests.
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of(std::string text);

/// Undoes gzip or zstd where the first bytes announce it, and passes other bytes through.
/// \param name what errors are about
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw,
                                                                 std::string const& name);

/// The file's bytes, decompressed.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> open_bytes(std::filesystem::path const& path);

} // namespace keyswap
