#pragma once

#include "traces/format/byte_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

/// The file's bytes as they are. Pipes and terminals may be opened again and again, and give the
/// same bytes each time (pipe_copy.hpp). A named pipe that nobody opens for writing is given up
/// after Limit::wait; whoever writes may then take any time.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>>
open_raw_bytes(std::filesystem::path const& path);

/// The first bytes of a source, and all of them: what a pipe gave once, it does not give again.
struct PeekedBytes {
    std::string beginning; ///< shorter than asked for only where there are no more bytes
    std::unique_ptr<ByteSource> all;
};
[[nodiscard]] Expected<PeekedBytes> peek_bytes(std::unique_ptr<ByteSource> bytes, std::size_t size);

/// What is read from JSON or a table takes up to so many times its text.
inline constexpr std::uint64_t memory_per_text_byte = 16;

/// All bytes as one text: a compressed file of some kilobytes can be one of gigabytes.
/// \param name what errors are about
/// \param memory_per_byte that what is read from the text will take; a text that would take more
///        than Limit::memory is refused
[[nodiscard]] Expected<std::string> read_text(ByteSource& bytes,
                                              std::string const& name,
                                              std::uint64_t memory_per_byte = memory_per_text_byte);

/// Bytes in memory, for tests.
[[nodiscard]] std::unique_ptr<ByteSource> bytes_of(std::string text);

enum class Compression { none, gzip, zstd };
/// What compressed a file with these first bytes. Skippable frames of zstd may come before its
/// data; where they reach beyond `beginning`, the file is taken for what is `expected`.
[[nodiscard]] Compression compression_of(std::string_view beginning,
                                         Compression expected = Compression::none);

/// Undoes gzip or zstd where the first bytes announce it, and passes other bytes through. Several
/// gzip members or zstd frames in a row are one text, and zeros may follow a gzip member.
/// \param name what errors are about
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> decompressed(std::unique_ptr<ByteSource> raw,
                                                                 std::string const& name);

/// The file's bytes, decompressed.
[[nodiscard]] Expected<std::unique_ptr<ByteSource>> open_bytes(std::filesystem::path const& path);

} // namespace keyswap
