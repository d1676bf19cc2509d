#pragma once

#include "traces/format/byte_source.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

/// The file's bytes without decompression. Pipes and terminals may be opened repeatedly and yield
/// the same bytes each time (pipe_copy.hpp). Fails if nothing is written to a pipe within
/// Limit::wait; after the first byte a writer may take any time.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>>
open_raw_bytes(std::filesystem::path const& path);

/// Reads until the block is full or the source ends. \return bytes read
[[nodiscard]] Expected<std::size_t> read_fully(ByteSource& bytes, std::span<char> block);

/// The first bytes of a source, and a source that starts over with them; works for pipes too.
struct PeekedBytes {
    std::string beginning; ///< shorter than requested only at the end of the source
    std::unique_ptr<ByteSource> all;
};
[[nodiscard]] Expected<PeekedBytes> peek_bytes(std::unique_ptr<ByteSource> bytes, std::size_t size);

/// Upper bound for the memory that parsed JSON or a table takes, in multiples of its text.
inline constexpr std::uint64_t memory_per_text_byte = 16;

/// Reads all bytes; a compressed file of a few kilobytes can expand to gigabytes.
/// \param name file name, for errors
/// \param memory_per_byte bytes of memory that parsing takes for each byte of text; a text that
///        would exceed Limit::memory is an error
[[nodiscard]] Expected<std::string> read_text(ByteSource& bytes,
                                              std::string const& name,
                                              std::uint64_t memory_per_byte = memory_per_text_byte);

/// A source that reads from `text`; for tests.
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of(std::string text);

enum class Compression { none, gzip, zstd };
/// Detects the compression from the first bytes. Skippable zstd frames may precede the data; if
/// they extend beyond `beginning`, returns `expected`.
[[nodiscard]] Compression compression_of(std::string_view beginning,
                                         Compression expected = Compression::none);

/// Decompresses gzip or zstd, detected by the first bytes; passes other bytes through. Adjacent
/// gzip members or zstd frames are concatenated, and zeros may follow a gzip member.
/// \param name file name, for errors
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw,
                                                                 std::string const& name);

/// The file's bytes, decompressed.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> open_bytes(std::filesystem::path const& path);

} // namespace keyswap
