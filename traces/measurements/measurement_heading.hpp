#pragma once

/// \file Which column of a measurement file is what. Three programs write them: the published
/// scripts, the RMG sort program itself (no column for the algorithm) and the one of the merge
/// sorts (other names, fewer columns). Columns are found by their names, in any order, or, in a
/// file of rows alone, by the program that has so many of them.

#include "traces/errors/input_error.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// The fields of a row, in the order in which files are written.
enum class MeasurementColumn : std::size_t {
    device_name,
    system_gpus,
    algorithm,
    key_count,
    gpus,
    cpu_threads,
    key_type,
    distribution,
    parameter,
    chunk_size,
    thread_blocks,
    device_memory,
    memory_overhead,
    sort_overhead,
    passes,
    breakdown,
    total,
    count ///< how many there are
};

inline constexpr auto measurement_column_count = static_cast<std::size_t>(MeasurementColumn::count);

/// The published name: "num_keys".
[[nodiscard]] std::string_view name_of(MeasurementColumn column);

/// Where a file has each column.
class MeasurementHeading {
  public:
    /// Columns that it does not know are kept apart. \return what is wrong with the heading
    [[nodiscard]] static tl::expected<MeasurementHeading, std::string>
    of(std::vector<std::string_view> const& names);
    /// The columns that one of the three programs writes, from a row of a file without a header
    /// line. \return nullopt if no program has so many columns, with a number of keys and GPUs in
    /// their places
    [[nodiscard]] static std::optional<MeasurementHeading>
    implied_by(std::vector<std::string_view> const& row);

    /// The field's place in a row; nullopt if the file lacks it.
    [[nodiscard]] std::optional<std::size_t> place_of(MeasurementColumn column) const {
        return places_[static_cast<std::size_t>(column)];
    }
    /// The column's name in the file; the published one if the file lacks it.
    [[nodiscard]] std::string_view name_of(MeasurementColumn column) const;
    [[nodiscard]] std::size_t columns() const { return names_.size(); }
    /// What a total of 1 is in milliseconds.
    [[nodiscard]] double total_unit_ms() const;
    /// Whether it is the published one: then every row has a breakdown that can be read.
    [[nodiscard]] bool is_published() const { return is_published_; }

  private:
    std::array<std::optional<std::size_t>, measurement_column_count> places_;
    std::vector<std::string> names_;
    bool is_published_ = false;
};

/// A sort's name as measurement files have it, from the name that the merge sorts' program prints.
[[nodiscard]] std::string measured_algorithm(std::string_view name);

} // namespace keyswap
