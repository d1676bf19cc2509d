#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
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

/// The file's bytes as they are. A named pipe that nobody writes to is given up after
/// pipe_wait_seconds.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>>
open_raw_bytes(std::filesystem::path const& path);

/// How long the reader of a named pipe waits for somebody to open it for writing. Whoever writes
/// may then take any time.
inline constexpr int pipe_wait_seconds = 10;

/// The first bytes of a source, and all of them: what a pipe gave once, it does not give again.
struct PeekedBytes {
    std::string beginning; ///< shorter than asked for only where there are no more bytes
    std::unique_ptr<ByteSource> all;
};
[[nodiscard]] Expected<PeekedBytes> peek_bytes(std::unique_ptr<ByteSource> bytes, std::size_t size);

/// Memory that one file's contents may take where no option says more: a compressed file of some
/// kilobytes can be one of gigabytes.
inline constexpr std::uint64_t memory_bytes_default = std::uint64_t{1} << 30;

/// All bytes as one text.
/// \param name what errors are about
/// \param memory_bytes a text of more than a sixteenth of it is refused, in words that name the
///        option --memory-limit: what is read from JSON or a table takes that many times its text
[[nodiscard]] Expected<std::string> read_text(ByteSource& bytes,
                                              std::string const& name,
                                              std::uint64_t memory_bytes = memory_bytes_default);

/// Bytes in memory, for tests.
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of(std::string text);

/// Undoes gzip or zstd where the first bytes announce it, and passes other bytes through.
/// \param name what errors are about
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw,
                                                                 std::string const& name);

/// The file's bytes, decompressed.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> open_bytes(std::filesystem::path const& path);

} // namespace keyswap
