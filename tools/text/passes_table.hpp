#pragma once

#include "model/distributions/key_generator.hpp"
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

/// A configuration of the published runs, with its passes as published and as modelled.
struct PassesRow {
    model::KeyRequest keys;
    std::uint32_t gpu_count = 0;
    std::uint32_t run_count = 0; ///< number of published runs of this configuration
    std::uint32_t published = 0; ///< published passes, identical in all runs
    int closed_form = 0;         ///< passes planned from expected counts
    std::vector<int> streamed;   ///< [seed - 1] passes; empty if n is too large
    /// Smallest slack of the tolerance over all borders inside a bucket in the last published pass;
    /// negative: that bucket spans. nullopt if no bucket crosses a border.
    std::optional<std::int64_t> margin_keys;

    [[nodiscard]] bool agrees() const { return closed_form == static_cast<int>(published); }
};

/// Number of seeds tried if sampling noise may decide.
inline constexpr int streamed_seeds = 20;
/// Largest n for which the seeds are tried.
inline constexpr std::uint64_t streamed_key_count_max = 1000;

/// Plans every RMG configuration with two or more GPUs once.
[[nodiscard]] Expected<std::vector<PassesRow>>
passes_rows(std::span<Measurement const> measurements);

/// Reads every .csv file of a folder and prints one line per configuration: published passes,
/// closed-form passes, and for small n how many seeds need how many passes.
/// \returns true if all rows agree, apart from sampling noise
[[nodiscard]] Expected<bool> print_passes_table(std::ostream& out,
                                                std::filesystem::path const& folder);

} // namespace keyswap::tools
