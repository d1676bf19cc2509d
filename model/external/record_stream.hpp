#pragma once

/// \file Records of an input that can be read only front to back: compressed files, text columns,
/// arrays in big-endian byte order, pipes.

#include "model/external/record_layout.hpp"
#include "model/key_files/key_file_reader.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace keyswap::model {

/// Sequential source of records, in the layout that the sort expects.
class RecordStream {
  public:
    virtual ~RecordStream() = default;
    /// Reads whole records into `block` and returns their number; a short read occurs only at the
    /// end, followed by 0. \pre at least one record fits
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<std::byte> block) = 0;
};

/// Keys in the byte layout of raw files.
[[nodiscard]] std::unique_ptr<RecordStream> stream_of_keys(std::unique_ptr<KeyFileReader> reader);

/// Records of a file, decompressed.
/// \return an error if the name implies a compression that the file does not have and, at the end
/// of the file, if the last record is incomplete
[[nodiscard]] Expected<std::unique_ptr<RecordStream>>
open_record_stream(std::filesystem::path const& path, RecordLayout const& layout);

/// True if a file of records must be read as a stream: it is compressed, named as if it were, or
/// not a regular file.
[[nodiscard]] Expected<bool> needs_record_stream(std::filesystem::path const& path);

} // namespace keyswap::model
