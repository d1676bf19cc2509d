#include "traces/measurements/measurement_heading.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace keyswap {

namespace {

using Column = MeasurementColumn;

constexpr std::array<std::string_view, measurement_column_count> names{
    "cuda_device_name",
    "num_system_gpus",
    "sorting_algorithm",
    "num_keys",
    "gpus",
    "num_cpu_threads",
    "data_type",
    "distribution_type",
    "distribution_parameter",
    "chunk_size",
    "num_thread_blocks",
    "device_memory_in_bytes",
    "device_memory_overhead",
    "local_sort_memory_overhead",
    "num_partitioning_passes_needed",
    "sort_duration_breakdown",
    "total_sort_duration"};

/// Other names of columns, as the merge sorts' program and its kin print them.
constexpr std::array<std::pair<std::string_view, Column>, 13> aliases{
    {{"num_elements", Column::key_count},
     {"algorithm", Column::algorithm},
     {"device_name", Column::device_name},
     {"datatype", Column::key_type},
     {"distribution", Column::distribution},
     {"num_gpus", Column::system_gpus},
     {"phases", Column::breakdown},
     {"duration_breakdown", Column::breakdown},
     {"total_duration", Column::total},
     {"sort_duration", Column::total},
     {"duration", Column::total},
     {"total", Column::total},
     {"total_time", Column::total}}};

constexpr std::array required{Column::key_count, Column::gpus, Column::total};

std::optional<Column> column_named(std::string_view name) {
    if (auto const known = std::ranges::find(names, name); known != names.end()) {
        return static_cast<Column>(known - names.begin());
    }
    auto const alias =
        std::ranges::find(aliases, name, [](auto const& entry) { return entry.first; });
    return alias == aliases.end() ? std::nullopt : std::optional(alias->second);
}

} // namespace

std::string_view name_of(MeasurementColumn column) {
    return names[static_cast<std::size_t>(column)];
}

tl::expected<MeasurementHeading, std::string>
MeasurementHeading::of(std::vector<std::string_view> const& given) {
    MeasurementHeading heading;
    heading.columns_ = given.size();
    heading.is_published_ = std::ranges::equal(given, names);
    for (std::size_t place = 0; place < given.size(); ++place) {
        auto const column = column_named(given[place]);
        if (!column) {
            continue;
        }
        auto& known = heading.places_[static_cast<std::size_t>(*column)];
        if (known) {
            return tl::unexpected("columns " + std::to_string(*known + 1) + " and " +
                                  std::to_string(place + 1) + " are both '" +
                                  std::string(name_of(*column)) + "'");
        }
        known = place;
    }
    for (Column const column : required) {
        if (!heading.place_of(column)) {
            return tl::unexpected("the heading has no column '" + std::string(name_of(column)) +
                                  "'");
        }
    }
    return heading;
}

std::string measured_algorithm(std::string_view name) {
    std::string lower;
    for (char const letter : name) {
        lower += letter == '_' || letter == ' '
                     ? '-'
                     : static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    // The merge sorts' program: P2P sort; HET sort with 2n or 3n of device memory.
    if (lower.starts_with("p2p")) {
        return "p2p-merge";
    }
    if (lower.starts_with("het")) {
        return "het-merge";
    }
    if (lower == "thrust") {
        return "thrust-sort";
    }
    return std::string(name);
}

} // namespace keyswap
