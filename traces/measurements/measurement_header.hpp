#pragma once

/// \file Columns of measurement files. Three programs write them: the published scripts, the RMG
/// sort program itself (no column for the algorithm) and the merge sorts' program (other names,
/// fewer columns). Columns are identified by name, in any order and in upper or lower case; in a
/// file without a header line, by the number of columns.

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
    count ///< number of columns
};

inline constexpr auto measurement_column_count = static_cast<std::size_t>(MeasurementColumn::count);

/// The published name: "num_keys".
[[nodiscard]] std::string_view name_of(MeasurementColumn column);

/// The names that identify no column and that none of the three programs prints.
[[nodiscard]] std::vector<std::string> unknown_columns(std::vector<std::string_view> const& names);

/// Maps each column to its position in a file.
class MeasurementHeader {
  public:
    /// Ignores unknown columns. \return a description of the error in the header
    [[nodiscard]] static tl::expected<MeasurementHeader, std::string>
    of(std::vector<std::string_view> const& names);
    /// Infers which of the three programs wrote a file without a header line, from one of its
    /// rows. \return nullopt if no program writes that many columns with numbers in the columns of
    /// key count and GPUs
    [[nodiscard]] static std::optional<MeasurementHeader>
    implied_by(std::vector<std::string_view> const& row);

    /// The field's 0-based column; nullopt if the file lacks it.
    [[nodiscard]] std::optional<std::size_t> place_of(MeasurementColumn column) const {
        return places_[static_cast<std::size_t>(column)];
    }
    /// The column's name in this file; its published name if the file lacks it.
    [[nodiscard]] std::string_view name_of(MeasurementColumn column) const;
    [[nodiscard]] std::size_t columns() const { return names_.size(); }
    /// Milliseconds in one unit of the total's column.
    [[nodiscard]] double total_unit_ms() const;
    /// True for the published format, in which every row has a valid breakdown.
    [[nodiscard]] bool is_published() const { return is_published_; }

  private:
    std::array<std::optional<std::size_t>, measurement_column_count> places_;
    std::vector<std::string> names_;
    bool is_published_ = false;
};

/// Maps the algorithm name that the merge sorts' program prints to the one in measurement files.
[[nodiscard]] std::string published_algorithm(std::string_view name);

} // namespace keyswap
