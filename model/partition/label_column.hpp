#pragma once

#include "traces/errors/input_error.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

namespace keyswap::model {

/// Reads a column of labels: .npy of u1, u2 or u4, text with a number a line, or raw
/// little-endian numbers of 1, 2 or 4 bytes.
/// \param label_count how many there should be, which gives the width of the numbers of a raw file
/// are;
///        of a longer file one block more than that is read at most
/// \param limit labels must be below it
[[nodiscard]] Expected<std::vector<std::uint32_t>> read_label_column(
    std::filesystem::path const& path, std::uint64_t label_count, std::uint32_t limit);

/// Digest of a column, each label as a key alone.
[[nodiscard]] SequenceDigest label_digest(std::span<std::uint32_t const> labels);

} // namespace keyswap::model
