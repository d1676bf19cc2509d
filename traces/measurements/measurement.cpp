#include "traces/measurements/measurement.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/byte_sink.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/measurements/csv_row.hpp"
#include "traces/measurements/measurement_header.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <optional>
#include <utility>

namespace keyswap {

namespace {

constexpr std::string_view no_gpus = "-";
constexpr std::string_view gpu_separators = ", ;|";                ///< published files: comma
constexpr std::string_view rmg_algorithm_name = "radix-mgpu-sort"; ///< its program prints no name
constexpr std::string_view format_remedy =
    "see traces/measurements/README.md for the format of published measurements";
constexpr std::size_t shown_size_max = 40; ///< characters of an invalid field, in messages

/// Parses the whole text as a finite number >= 0.
template <class Number>
bool parse_number(std::string_view text, Number& number) {
    auto const parsed = parsed_number<Number>(text);
    number = parsed.value_or(number);
    if constexpr (std::floating_point<Number>) {
        return parsed && std::isfinite(number) && number >= 0;
    }
    return parsed.has_value();
}

/// Parser for a breakdown such as "1.5,{(0.1,0.2),(0.3,0.4)},2,3,0".
class BreakdownText {
  public:
    explicit BreakdownText(std::string_view text) : text_(text) {}

    bool take(char expected) {
        bool const found = text_.starts_with(expected);
        text_.remove_prefix(found ? 1 : 0);
        return found;
    }
    bool take_number(double& number) {
        std::size_t const end = std::min(text_.find_first_of(",(){}"), text_.size());
        bool const fine = parse_number(text_.substr(0, end), number);
        text_.remove_prefix(end);
        return fine;
    }
    /// Parses "(a,b,...)".
    bool take_list(std::vector<double>& numbers) {
        if (!take('(')) {
            return false;
        }
        do {
            if (!take_number(numbers.emplace_back())) {
                return false;
            }
        } while (take(','));
        return take(')');
    }
    [[nodiscard]] bool at_end() const { return text_.empty(); }

  private:
    std::string_view text_;
};

bool parse_group(BreakdownText& text, GpuPhases& phases) {
    return text.take_number(phases.host_to_device_ms) && text.take(',') && text.take('{') &&
           text.take_list(phases.histogram_ms) && text.take(',') &&
           text.take_list(phases.scatter_ms) && text.take('}') && text.take(',') &&
           text.take_number(phases.key_swap_ms) && text.take(',') &&
           text.take_number(phases.sort_ms) && text.take(',') &&
           text.take_number(phases.device_to_host_ms);
}

/// On a single GPU: no histograms, and 0 in place of the key swap.
bool parse_single(BreakdownText& text, GpuPhases& phases) {
    return text.take_number(phases.host_to_device_ms) && text.take(',') &&
           text.take_number(phases.key_swap_ms) && text.take(',') &&
           text.take_number(phases.sort_ms) && text.take(',') &&
           text.take_number(phases.device_to_host_ms);
}

std::optional<std::vector<GpuPhases>> parse_breakdown(std::string_view field,
                                                      std::size_t gpu_count) {
    std::vector<GpuPhases> phases;
    if (field.empty()) {
        return phases; // a CPU sort, or only the total is known
    }
    if (gpu_count == 0) {
        return std::nullopt;
    }
    BreakdownText text(field);
    bool const nested = field.find('{') != std::string_view::npos;
    if (!nested && gpu_count > 1) {
        return std::nullopt;
    }
    for (std::size_t gpu = 0; gpu < gpu_count; ++gpu) {
        if (gpu > 0 && !text.take(',')) {
            return std::nullopt;
        }
        GpuPhases& group = phases.emplace_back();
        bool const fine = nested ? parse_group(text, group) : parse_single(text, group);
        if (!fine || group.histogram_ms.size() != group.scatter_ms.size()) {
            return std::nullopt;
        }
    }
    return text.at_end() ? std::optional(std::move(phases)) : std::nullopt;
}

std::optional<std::vector<int>> parse_gpus(std::string_view field) {
    std::vector<int> gpus;
    if (field == no_gpus) {
        return gpus;
    }
    while (true) {
        std::size_t const end = std::min(field.find_first_of(gpu_separators), field.size());
        if (!parse_number(field.substr(0, end), gpus.emplace_back()) || gpus.back() < 0) {
            return std::nullopt;
        }
        if (end == field.size()) {
            return gpus;
        }
        field.remove_prefix(end + 1);
    }
}

/// Reads a row's fields by column; keeps the first error.
class RowFields {
  public:
    RowFields(std::vector<std::string_view> const& fields, MeasurementHeader const& header)
        : fields_(fields), header_(header) {}

    /// \return nullopt if the file lacks the column
    std::optional<std::string_view> take(MeasurementColumn column) {
        column_ = column;
        auto const place = header_.place_of(column);
        return place ? std::optional(fields_[*place]) : std::nullopt;
    }
    void operator()(MeasurementColumn column, std::string& value) {
        if (auto const text = take(column)) {
            value = *text;
            require(!value.empty(), "must not be empty");
        }
    }
    template <class Number>
    void operator()(MeasurementColumn column, Number& value) {
        if (auto const text = take(column)) {
            require(parse_number(*text, value),
                    std::integral<Number> ? "must be a whole number that fits"
                                          : "must be a number");
        }
    }
    /// \param rule constraint on the last field taken, as a phrase for the error message
    void require(bool fine, std::string const& rule) {
        if (!fine && !problem_) {
            auto const place = header_.place_of(column_);
            problem_ = "column " + std::string(header_.name_of(column_)) + " " + rule +
                       ", but is '" +
                       std::string(place ? fields_[*place].substr(0, shown_size_max) : "") + "'";
        }
    }
    [[nodiscard]] std::optional<std::string> const& problem() const { return problem_; }

  private:
    std::vector<std::string_view> const& fields_;
    MeasurementHeader const& header_;
    MeasurementColumn column_ = MeasurementColumn::device_name;
    std::optional<std::string> problem_;
};

/// Phases of each GPU; ignores breakdowns of unknown programs.
void take_phases(RowFields& take, MeasurementHeader const& header, Measurement& row) {
    auto const text = take.take(MeasurementColumn::breakdown);
    if (!text) {
        return;
    }
    auto phases = parse_breakdown(*text, row.gpus.size());
    take.require(phases.has_value() || !header.is_published(),
                 "must have a group of phases for each of " + std::to_string(row.gpus.size()) +
                     " GPUs");
    row.phases = std::move(phases).value_or(std::vector<GpuPhases>());
    for (GpuPhases const& gpu : row.phases) {
        take.require(gpu.histogram_ms.empty() || gpu.histogram_ms.size() == row.passes,
                     "must have as many histograms as passes (" + std::to_string(row.passes) + ")");
    }
}

tl::expected<Measurement, std::string> parse_row(std::vector<std::string_view> const& fields,
                                                 MeasurementHeader const& header) {
    using Column = MeasurementColumn;
    Measurement row;
    row.device_name = "unknown";
    row.algorithm = rmg_algorithm_name;
    row.key_type = "uint32";
    row.distribution = "uniform";
    RowFields take(fields, header);
    take(Column::device_name, row.device_name);
    take(Column::system_gpus, row.system_gpus);
    take(Column::algorithm, row.algorithm);
    row.algorithm = published_algorithm(row.algorithm);
    take(Column::key_count, row.key_count);
    auto gpus = parse_gpus(take.take(Column::gpus).value_or(no_gpus));
    take.require(gpus.has_value(), "must be device numbers with commas, or '-'");
    row.gpus = std::move(gpus).value_or(std::vector<int>());
    take(Column::cpu_threads, row.cpu_threads);
    take(Column::key_type, row.key_type);
    take(Column::distribution, row.distribution);
    if (auto const text = take.take(Column::parameter); text && !text->empty()) {
        take(Column::parameter, row.parameter.emplace());
    }
    take(Column::chunk_size, row.chunk_size);
    take(Column::thread_blocks, row.thread_blocks);
    take(Column::device_memory, row.device_memory_mb);
    take(Column::memory_overhead, row.memory_overhead_mb);
    take(Column::sort_overhead, row.sort_overhead_mb);
    take(Column::passes, row.passes);
    take_phases(take, header, row);
    take(Column::total, row.total_ms);
    take.require(row.total_ms > 0.0, "must be a positive number");
    row.total_ms *= header.total_unit_ms();
    if (take.problem()) {
        return tl::unexpected(*take.problem());
    }
    return row;
}

void append(std::string& text, std::floating_point auto value) {
    std::array<char, 32> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

void append(std::string& text, std::integral auto value) {
    text += std::to_string(value);
}

void append(std::string& text, std::optional<double> value) {
    if (value) {
        append(text, *value);
    }
}

void append(std::string& text, std::string const& value) {
    KEYSWAP_EXPECTS(value.find_first_of("\"\r\n") == std::string::npos);
    bool const quote = value.find(',') != std::string::npos;
    text += quote ? '"' + value + '"' : value;
}

template <class Values>
std::string joined(Values const& values) {
    std::string text;
    for (auto const& value : values) {
        text += text.empty() ? "" : ",";
        append(text, value);
    }
    return text;
}

std::string breakdown_text(Measurement const& row) {
    std::string text;
    for (GpuPhases const& gpu : row.phases) {
        text += text.empty() ? "" : ",";
        append(text, gpu.host_to_device_ms);
        if (!gpu.histogram_ms.empty()) {
            text += ",{(" + joined(gpu.histogram_ms) + "),(" + joined(gpu.scatter_ms) + ")}";
        }
        for (double const time_ms : {gpu.key_swap_ms, gpu.sort_ms, gpu.device_to_host_ms}) {
            text += ',';
            append(text, time_ms);
        }
    }
    return text;
}

} // namespace

Expected<std::vector<Measurement>> parse_measurements(std::string_view text,
                                                      std::string const& name) {
    std::vector<Measurement> rows;
    MeasurementHeader header;
    std::string_view const all = text;
    std::uint64_t row_number = 0;
    auto const wrong = [&](std::string const& problem) {
        return input_error(
            name + ", row " + std::to_string(row_number), problem, std::string(format_remedy));
    };
    while (!text.empty()) {
        ++row_number;
        auto const fields = split_csv_row(take_line(text));
        if (!fields) {
            return wrong("has a quotation mark that is not closed in the same row");
        }
        if (row_number == 1) {
            auto const implied = MeasurementHeader::implied_by(*fields);
            auto const named = implied ? tl::expected<MeasurementHeader, std::string>(*implied)
                                       : MeasurementHeader::of(*fields);
            if (!named) {
                auto const error = find_csv_error(all, name);
                return error ? tl::unexpected(*error) : wrong(named.error());
            }
            header = *named;
            if (!implied) {
                continue;
            }
        }
        if (fields->size() == 1 && fields->front().empty()) {
            return input_error(
                name + ", row " + std::to_string(row_number), "is blank", "remove the line");
        }
        if (fields->size() != header.columns()) {
            return wrong("has " + std::to_string(fields->size()) + " columns instead of " +
                         std::to_string(header.columns()));
        }
        auto parsed = parse_row(*fields, header);
        if (!parsed) {
            return wrong(parsed.error());
        }
        parsed->place.text = name + ", row " + std::to_string(row_number);
        rows.push_back(std::move(*parsed));
    }
    if (row_number == 0) {
        row_number = 1;
        return wrong("the file is empty");
    }
    return rows;
}

std::vector<std::string> unused_columns(std::string_view text) {
    auto const fields = split_csv_row(take_line(text));
    bool const named = fields && !MeasurementHeader::implied_by(*fields);
    return named ? unknown_columns(*fields) : std::vector<std::string>();
}

bool looks_like_measurements(std::string_view text) {
    auto const fields = split_csv_row(take_line(text));
    return fields && (MeasurementHeader::of(*fields) || MeasurementHeader::implied_by(*fields));
}

Expected<std::vector<Measurement>> read_measurements(std::filesystem::path const& path) {
    KEYSWAP_TRY(auto const bytes, open_bytes(path));
    KEYSWAP_TRY(auto const text, read_text(*bytes, path.string()));
    return parse_measurements(text, path.string());
}

std::string measurements_text(std::span<Measurement const> measurements) {
    std::string text;
    for (std::size_t column = 0; column < measurement_column_count; ++column) {
        text += text.empty() ? "" : ",";
        text += name_of(static_cast<MeasurementColumn>(column));
    }
    text += '\n';
    for (Measurement const& row : measurements) {
        bool first = true;
        auto const put = [&](auto const&... values) {
            auto const put_one = [&](auto const& value) {
                text += std::exchange(first, false) ? "" : ",";
                append(text, value);
            };
            (put_one(values), ...);
        };
        put(row.device_name, row.system_gpus, row.algorithm, row.key_count);
        put(row.gpus.empty() ? std::string(no_gpus) : joined(row.gpus), row.cpu_threads);
        put(row.key_type, row.distribution, row.parameter, row.chunk_size, row.thread_blocks);
        put(row.device_memory_mb, row.memory_overhead_mb, row.sort_overhead_mb, row.passes);
        put(breakdown_text(row), row.total_ms);
        text += '\n';
    }
    return text;
}

Expected<void> write_measurements(std::filesystem::path const& path,
                                  std::span<Measurement const> measurements) {
    KEYSWAP_TRY(auto sink, create_bytes(path));
    return sink->write(measurements_text(measurements)).and_then([&] { return sink->finish(); });
}

} // namespace keyswap
