#include "traces/measurements/rate_table.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"
#include "traces/measurements/csv_row.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace keyswap {

namespace {

constexpr std::array<std::string_view, 19> rate_columns{"source",
                                                        "table",
                                                        "device",
                                                        "operation",
                                                        "method",
                                                        "stage",
                                                        "rule",
                                                        "buckets",
                                                        "digit_bits",
                                                        "distribution",
                                                        "key_type",
                                                        "value_type",
                                                        "keys",
                                                        "time_ms",
                                                        "rate_Gps",
                                                        "time_ratio",
                                                        "ratio_to",
                                                        "use",
                                                        "note"};

constexpr std::array<std::string_view, 4> rate_operations{
    "sort", "multisplit", "histogram", "sssp"};
constexpr std::array<std::string_view, 7> rate_stages{
    "all", "pre-scan", "scan", "post-scan", "label", "sort", "pack"};
constexpr std::array<std::string_view, 5> rate_rules{"", "digit", "delta", "even", "splitters"};
constexpr std::array<std::string_view, 3> rate_uses{"fitted", "held-out", "suspect"};
constexpr std::string_view rates_remedy =
    "see traces/measurements/README.md for the columns of rates";
constexpr std::size_t shown_field_max = 40; ///< characters of an invalid field, in messages
/// Relative. Both time and rate of a cell are rounded, to three digits at worst.
constexpr double rounding_max = 0.02;
constexpr double rate_number_max = 1e12; ///< milliseconds, 1e9 keys/s or ratio

template <std::size_t Count>
std::string listed(std::array<std::string_view, Count> const& allowed) {
    std::string text;
    for (std::string_view const name : allowed) {
        text += name.empty() ? "" : (text.empty() ? "" : ", ") + std::string(name);
    }
    return text;
}

/// Reads a row's fields by column name; keeps the first error.
class Fields {
  public:
    Fields(std::vector<std::string_view> const& fields, std::vector<std::string_view> const& header)
        : fields_(fields), header_(header) {}

    std::string_view text(std::string_view column) const {
        auto const found = std::ranges::find(header_, column);
        return fields_[static_cast<std::size_t>(found - header_.begin())];
    }
    std::string filled(std::string_view column) {
        require(column, !text(column).empty(), "must not be empty");
        return std::string(text(column));
    }
    template <std::size_t Count>
    std::string one_of(std::string_view column,
                       std::array<std::string_view, Count> const& allowed) {
        require(column,
                std::ranges::find(allowed, text(column)) != allowed.end(),
                "must be one of " + listed(allowed));
        return std::string(text(column));
    }
    /// \param least if 0, an empty field is 0
    template <class Whole>
    Whole whole(std::string_view column, Whole least, Whole most) {
        std::string_view const field = text(column);
        auto const value = parsed_number<Whole>(field);
        require(column,
                (value && *value >= least && *value <= most) || (field.empty() && least == 0),
                "must be a whole number from " + std::to_string(least) + " to " +
                    std::to_string(most));
        return value.value_or(0);
    }
    std::optional<double> positive(std::string_view column) {
        std::string_view const field = text(column);
        if (field.empty()) {
            return std::nullopt;
        }
        auto const value = parsed_number<double>(field);
        require(column,
                value && *value >= 1.0 / rate_number_max && *value <= rate_number_max,
                "must be empty or a number above 0");
        return value;
    }
    void require(std::string_view column, bool fine, std::string const& rule) {
        if (!fine && !problem_) {
            problem_ = "column " + std::string(column) + " " + rule + ", but is '" +
                       std::string(text(column).substr(0, shown_field_max)) + "'";
        }
    }
    [[nodiscard]] std::optional<std::string> const& problem() const { return problem_; }

  private:
    std::vector<std::string_view> const& fields_;
    std::vector<std::string_view> const& header_;
    std::optional<std::string> problem_;
};

/// Splits "alpha-uniform:0.25" at the colon; a graph such as "rmat:20:16" is one name.
void take_distribution(Fields& fields, PublishedRate& rate) {
    std::string const text = fields.filled("distribution");
    std::size_t const colon = rate.operation == "sssp" ? std::string::npos : text.find(':');
    rate.distribution = text.substr(0, colon);
    if (colon == std::string::npos) {
        return;
    }
    auto const parameter = parsed_number<double>(std::string_view(text).substr(colon + 1));
    rate.parameter = parameter.value_or(rate.parameter);
    fields.require("distribution",
                   parameter && std::isfinite(*parameter) && !rate.distribution.empty(),
                   "must be a name, or a name, a colon and a number");
}

tl::expected<PublishedRate, std::string> parse_row(Fields fields) {
    PublishedRate rate;
    rate.source = fields.filled("source");
    rate.table = fields.filled("table");
    rate.device = fields.filled("device");
    rate.operation = fields.one_of("operation", rate_operations);
    rate.method = fields.filled("method");
    rate.stage = fields.one_of("stage", rate_stages);
    rate.rule = fields.one_of("rule", rate_rules);
    bool const buckets = rate.operation == "multisplit" || rate.operation == "histogram";
    constexpr std::uint32_t bucket_count_max = 1U << 30U;
    rate.buckets = fields.whole<std::uint32_t>("buckets", buckets ? 1 : 0, bucket_count_max);
    constexpr int digit_bits_max = 128;
    rate.digit_bits = fields.whole<int>("digit_bits", 0, digit_bits_max);
    take_distribution(fields, rate);
    rate.key_type = fields.filled("key_type");
    fields.require(
        "key_type", parse_key_type(rate.key_type).has_value(), "must be a type of keys, as u32");
    constexpr std::array<std::string_view, 3> values{"none", "32", "64"};
    std::string const value = fields.one_of("value_type", values);
    rate.value_bits = value == "64" ? 64 : value == "32" ? 32 : 0;
    rate.key_count = fields.whole<std::uint64_t>("keys", 1, std::uint64_t{1} << 62U);
    rate.time_ms = fields.positive("time_ms");
    rate.rate_Gps = fields.positive("rate_Gps");
    rate.time_ratio = fields.positive("time_ratio");
    rate.ratio_to = fields.text("ratio_to");
    std::string const use = fields.one_of("use", rate_uses);
    rate.use = use == "fitted"    ? RateUse::fitted
               : use == "suspect" ? RateUse::suspect
                                  : RateUse::held_out;
    rate.note = fields.text("note");
    fields.require(
        "note", rate.use != RateUse::suspect || !rate.note.empty(), "must give the reason");
    fields.require("time_ms",
                   (rate.time_ms || rate.rate_Gps) != rate.time_ratio.has_value(),
                   "(or rate_Gps) must be given, unless time_ratio is");
    fields.require("ratio_to",
                   rate.time_ratio.has_value() != rate.ratio_to.empty(),
                   "must be given if time_ratio is, and only then");
    if (rate.time_ms && rate.rate_Gps && !fields.problem() && rate.use != RateUse::suspect) {
        double const by_rate = rate.milliseconds();
        fields.require("time_ms",
                       std::abs(*rate.time_ms / by_rate - 1.0) <= rounding_max,
                       "must be keys / rate_Gps within 2 %, except in a suspect row");
    }
    if (fields.problem()) {
        return tl::unexpected(*fields.problem());
    }
    return rate;
}

/// Describes the first missing or duplicate column; nullopt if there is none.
std::optional<std::string> find_header_error(std::vector<std::string_view> const& header) {
    for (std::string_view const column : rate_columns) {
        auto const found = std::ranges::count(header, column);
        if (found != 1) {
            return found == 0 ? "the header lacks column " + std::string(column)
                              : "the header has column " + std::string(column) + " more than once";
        }
    }
    return std::nullopt;
}

} // namespace

double PublishedRate::milliseconds() const {
    KEYSWAP_EXPECTS(rate_Gps || time_ms);
    return rate_Gps ? static_cast<double>(key_count) / *rate_Gps * 1e-6 : *time_ms;
}

std::string_view to_string(RateUse use) {
    return rate_uses[static_cast<std::size_t>(use)];
}

Expected<std::vector<PublishedRate>> parse_rates(std::string_view text, std::string const& name) {
    std::vector<PublishedRate> rates;
    std::vector<std::string_view> header;
    std::string_view const all = text;
    std::uint64_t line = 0;
    auto const wrong = [&](std::string const& problem) {
        return tl::unexpected(
            InputError{name + ":" + std::to_string(line), problem, std::string(rates_remedy)});
    };
    while (!text.empty()) {
        ++line;
        auto const fields = split_csv_row(take_line(text));
        if (!fields) {
            return wrong("has a quotation mark that is not closed in the same row");
        }
        if (line == 1) {
            if (auto const problem = find_header_error(*fields)) {
                auto const error = find_csv_error(all, name);
                return error ? tl::unexpected(*error) : wrong(*problem);
            }
            header = *fields;
            continue;
        }
        if (fields->size() != header.size()) {
            return wrong("has " + std::to_string(fields->size()) + " columns instead of " +
                         std::to_string(header.size()));
        }
        auto rate = parse_row(Fields(*fields, header));
        if (!rate) {
            return wrong(rate.error());
        }
        rate->line = line;
        rates.push_back(std::move(*rate));
    }
    if (line == 0) {
        line = 1;
        return wrong("the header is missing");
    }
    return rates;
}

bool looks_like_rates(std::string_view text) {
    auto const fields = split_csv_row(take_line(text));
    return fields && std::ranges::find(*fields, "rate_Gps") != fields->end();
}

} // namespace keyswap
