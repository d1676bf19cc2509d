#pragma once

/// \file Records of an input that can only be read from front to back: compressed files, columns of
/// text, arrays in another byte order, pipes.

#include "model/external/record_layout.hpp"
#include "model/keys/key_file_reader.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace keyswap::model {

/// Records from front to back, as they are sorted.
class RecordStream {
  public:
    virtual ~RecordStream() = default;
    /// Fills the front of `block` with whole records and returns how many they are: fewer than fit
    /// only at the end, then 0. \pre at least one fits
    [[nodiscard]] virtual Expected<std::size_t> read(std::span<std::byte> block) = 0;
};

/// Keys as they lie in raw files.
[[nodiscard]] std::unique_ptr<RecordStream> stream_of_keys(std::unique_ptr<KeyFileReader> reader);

/// Records of a file, decompressed.
/// \return an error for a name that promises a compression which is not there and, at the end of
/// the file, for a part of a record
[[nodiscard]] Expected<std::unique_ptr<RecordStream>>
open_record_stream(std::filesystem::path const& path, RecordLayout const& layout);

/// Whether a file of records has to be read as a stream: it is compressed, or named so, or no
/// regular file.
[[nodiscard]] Expected<bool> needs_record_stream(std::filesystem::path const& path);

} // namespace keyswap::model
