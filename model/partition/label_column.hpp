#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace keyswap::model {

/// Reads a column of labels: .npy of u1, u2 or u4, text with one number per line, or raw
/// little-endian numbers of 1, 2 or 4 bytes.
/// \param label_count required number of labels; with the file size it determines the width of a
/// label in a raw file. Of a longer file, at most one block beyond this count is read, so that the
/// caller can detect the surplus without loading the whole file
/// \param limit exclusive upper bound of labels
[[nodiscard]] Expected<std::vector<std::uint32_t>> read_label_column(
    std::filesystem::path const& path, std::uint64_t label_count, std::uint32_t limit);

/// Sequence digest of a column; each element is digest_of(label).
[[nodiscard]] SequenceDigest label_digest(std::span<std::uint32_t const> labels);

} // namespace keyswap::model
