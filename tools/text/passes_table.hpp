#pragma once

#include "model/keys/key_generator.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/measurements/measurement.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace keyswap::tools {

/// A configuration of the published runs and the passes that it and the model need.
struct PassesRow {
    model::KeyRequest keys;
    std::uint32_t gpu_count = 0;
    std::uint32_t run_count = 0; ///< published runs of this configuration
    std::uint32_t published = 0; ///< passes, the same in all its runs
    int closed_form = 0;         ///< passes that the expected counts need
    std::vector<int> streamed;   ///< by seed 1 ..; only where n is small enough
    /// Of all borders that lie inside a bucket in the published pass, the least that the tolerance
    /// has to spare; negative: that bucket spans. None where no bucket crosses a border.
    std::optional<std::int64_t> margin_keys;

    [[nodiscard]] bool agrees() const { return closed_form == static_cast<int>(published); }
};

/// Seeds whose keys are counted where sampling noise may decide.
inline constexpr int streamed_seeds = 20;
/// Largest n at which they are.
inline constexpr std::uint64_t streamed_key_count_max = 1000;

/// Plans every RMG configuration of two or more GPUs once.
[[nodiscard]] Expected<std::vector<PassesRow>>
passes_rows(std::span<Measurement const> measurements);

/// Reads every .csv file of a folder and prints one line a configuration: published passes, those
/// of the closed form, and for small n how many of the seeds need how many.
/// \returns whether all rows agree, sampling noise aside
[[nodiscard]] Expected<bool> print_passes_table(std::ostream& out,
                                                std::filesystem::path const& folder);

} // namespace keyswap::tools
