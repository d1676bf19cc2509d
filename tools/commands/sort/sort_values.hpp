#pragma once

/// \file `keyswap sort --values FILE`: values that accompany keys. Sorts carry input indices;
/// values are permuted by them when the output is written.

#include "model/key_files/stored_keys.hpp"
#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace keyswap::tools {

/// Opens values, one per key: .npy, or raw with a width computed from the file size.
[[nodiscard]] Expected<std::unique_ptr<model::StoredKeys>> open_values(std::string const& path,
                                                                       std::uint64_t key_count);

/// Writes values permuted by indices. \param index_bytes an array of std::uint64_t
[[nodiscard]] Expected<void> write_values(model::StoredKeys const& values,
                                          std::span<std::byte const> index_bytes,
                                          model::KeyFileWriter& output);

} // namespace keyswap::tools
