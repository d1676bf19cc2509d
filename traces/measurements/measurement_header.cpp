#include "traces/measurements/measurement_header.hpp"

#include "traces/errors/lower_case.hpp"

#include <algorithm>
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

/// The merge sorts' program prints times in seconds; `sort_s` is the sort alone, and `total_s` adds
/// the allocation of buffers, which predictions exclude.
constexpr std::string_view total_in_seconds = "sort_s";

/// Alternative column names, as in the output of the merge sorts' program and similar ones.
constexpr std::array<std::pair<std::string_view, Column>, 17> aliases{
    {{"num_elements", Column::key_count},
     {"algorithm", Column::algorithm},
     {"device_name", Column::device_name},
     {"datatype", Column::key_type},
     {"key_type", Column::key_type},
     {"type", Column::key_type},
     {"distribution", Column::distribution},
     {"num_gpus", Column::system_gpus},
     {"phases", Column::breakdown},
     {"duration_breakdown", Column::breakdown},
     {"total_duration", Column::total},
     {"sort_duration", Column::total},
     {"duration", Column::total},
     {"total", Column::total},
     {"total_time", Column::total},
     {"threads", Column::cpu_threads},
     {total_in_seconds, Column::total}}};

/// Columns in the output of the merge sorts' program, in order.
constexpr std::array<std::string_view, 14> merge_sorts_names{"num_elements",
                                                             "algorithm",
                                                             "gpus",
                                                             "data_type",
                                                             "distribution",
                                                             "seed",
                                                             "threads",
                                                             "chunk",
                                                             "merge_group",
                                                             "buffers",
                                                             "alloc_s",
                                                             "sort_s",
                                                             "dealloc_s",
                                                             "total_s"};

constexpr std::array required{Column::key_count, Column::gpus, Column::total};

std::optional<Column> column_named(std::string_view given) {
    std::string const name = lower_case(given);
    if (auto const known = std::ranges::find(names, name); known != names.end()) {
        return static_cast<Column>(known - names.begin());
    }
    auto const alias =
        std::ranges::find(aliases, name, [](auto const& entry) { return entry.first; });
    return alias == aliases.end() ? std::nullopt : std::optional(alias->second);
}

bool has_digits_and(std::string_view text, std::string_view others) {
    return !text.empty() && std::ranges::all_of(text, [others](char letter) {
        return (letter >= '0' && letter <= '9') || others.find(letter) != std::string_view::npos;
    });
}

} // namespace

std::vector<std::string> unknown_columns(std::vector<std::string_view> const& names) {
    std::vector<std::string> unknown;
    for (std::string_view const name : names) {
        if (!column_named(name) &&
            std::ranges::find(merge_sorts_names, name) == merge_sorts_names.end()) {
            unknown.emplace_back(name);
        }
    }
    return unknown;
}

std::string_view name_of(MeasurementColumn column) {
    return names[static_cast<std::size_t>(column)];
}

tl::expected<MeasurementHeader, std::string>
MeasurementHeader::of(std::vector<std::string_view> const& given) {
    MeasurementHeader header;
    header.names_.assign(given.begin(), given.end());
    header.is_published_ = std::ranges::equal(given, names);
    for (std::size_t place = 0; place < given.size(); ++place) {
        auto const column = column_named(given[place]);
        if (!column) {
            continue;
        }
        auto& known = header.places_[static_cast<std::size_t>(*column)];
        if (known) {
            return tl::unexpected("columns " + std::to_string(*known + 1) + " and " +
                                  std::to_string(place + 1) + " are both '" +
                                  std::string(keyswap::name_of(*column)) + "'");
        }
        known = place;
    }
    for (Column const column : required) {
        if (!header.place_of(column)) {
            return tl::unexpected("the header has no column '" +
                                  std::string(keyswap::name_of(column)) + "'");
        }
    }
    return header;
}

std::optional<MeasurementHeader>
MeasurementHeader::implied_by(std::vector<std::string_view> const& row) {
    std::vector<std::string_view> const published(names.begin(), names.end());
    std::vector<std::string_view> of_rmg = published;
    of_rmg.erase(of_rmg.begin() + static_cast<std::ptrdiff_t>(Column::algorithm));
    for (auto const& columns :
         {published,
          of_rmg,
          std::vector<std::string_view>(merge_sorts_names.begin(), merge_sorts_names.end())}) {
        if (columns.size() != row.size()) {
            continue;
        }
        MeasurementHeader const header = *of(columns);
        if (has_digits_and(row[*header.place_of(Column::key_count)], "") &&
            has_digits_and(row[*header.place_of(Column::gpus)], ", ;|-")) {
            return header;
        }
    }
    return std::nullopt;
}

std::string_view MeasurementHeader::name_of(MeasurementColumn column) const {
    auto const place = place_of(column);
    return place ? std::string_view(names_[*place]) : keyswap::name_of(column);
}

double MeasurementHeader::total_unit_ms() const {
    return name_of(Column::total) == total_in_seconds ? 1000.0 : 1.0;
}

std::string published_algorithm(std::string_view name) {
    std::string lower;
    for (char const letter : name) {
        lower += letter == '_' || letter == ' ' ? '-' : lower_case(letter);
    }
    // Names that the merge sorts' program prints: P2P sort (Tanasic et al.); HET sort (Gowanlock et
    // al.) with 2n or 3n of device memory.
    if (lower.starts_with("p2p") || lower.starts_with("tanasic")) {
        return "p2p-merge";
    }
    if (lower.starts_with("het") || lower.starts_with("gowanlock")) {
        return "het-merge";
    }
    if (lower == "thrust") {
        return "thrust-sort";
    }
    return std::string(name);
}

} // namespace keyswap
