#include "traces/errors/contracts.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/trace_fields.hpp"
#include "traces/format/trace_line.hpp"
#include "traces/format/trace_names.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

namespace keyswap {

namespace {

using Json = nlohmann::json;

constexpr std::string_view checksum_begin = R"(,"crc32":")"; ///< then 8 digits and checksum_end
constexpr std::string_view checksum_end = R"("})";
constexpr std::size_t checksum_digits = 8;
constexpr std::size_t checksum_member_size =
    checksum_begin.size() + checksum_digits + checksum_end.size();
constexpr std::uint64_t digits_max = std::uint64_t{1} << 16; ///< largest histogram: 16-bit digits

constexpr std::size_t hex_digits = 16; ///< in a 64-bit word

bool is_hex(std::string_view text, std::size_t digits) {
    return text.size() == digits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

InputError damaged(std::string const& problem) {
    return {"", problem, "the file is damaged; copy or record it again"};
}

InputError not_a_record(std::string const& problem) {
    return {
        "", problem, "see traces/FORMAT.md for the format; the program that wrote it is at fault"};
}

/// Reads the members of one JSON object and keeps the first error.
class ObjectFields {
  public:
    ObjectFields(Json const& object,
                 int version,
                 std::string path,
                 std::optional<InputError>& problem)
        : object_(object), version_(version), path_(std::move(path)), problem_(problem) {}

    [[nodiscard]] int version() const { return version_; }
    template <class Value>
    void since(int version, std::string_view name, Value& value) {
        if (version_ >= version) {
            (*this)(name, value);
        }
    }

    template <class Value>
    void operator()(std::string_view name, Value& value) {
        if (Json const* json = required(name)) {
            take(name, *json, value);
        }
    }
    template <class Value>
    void operator()(std::string_view name, std::optional<Value>& value) {
        if (Json const* json = find(name)) {
            take(name, *json, value.emplace());
        }
    }
    /// Empty if the member is absent.
    void operator()(std::string_view name, std::vector<std::string>& texts) {
        if (Json const* json = find(name)) {
            take(name, *json, texts);
        }
    }
    void hex(std::string_view name, std::uint64_t& value) {
        Json const* json = required(name);
        if (json == nullptr) {
            return;
        }
        auto const* text = json->get_ptr<std::string const*>();
        if (text == nullptr || !is_hex(*text, hex_digits)) {
            return wrong(name, "must be a string of 16 lower-case hexadecimal digits");
        }
        value = std::stoull(*text, nullptr, 16);
    }
    /// Reads the rule's name, then its fields.
    void rule(BucketRule& rule) {
        std::string word;
        (*this)("rule", word);
        if (!take_rule(word, rule)) {
            wrong("rule", "is not known; known: " + joined_text(rule_words, ", "));
        }
    }
    /// Requires a member with exactly this text, such as the format's name.
    void constant(std::string_view name, std::string_view expected) {
        std::string text;
        (*this)(name, text);
        if (text != expected) {
            wrong(name, "must be \"" + std::string(expected) + "\"");
        }
    }
    void ignore(std::string_view name) { required(name); }
    void counts(std::vector<std::uint64_t>& counts) {
        std::uint64_t digits = 0;
        (*this)("digits", digits);
        if (digits > digits_max) {
            return wrong("digits", "must be at most " + std::to_string(digits_max));
        }
        if (Json const* sparse = find("nonzero")) {
            counts.assign(digits, 0);
            return take_sparse(*sparse, counts);
        }
        (*this)("counts", counts);
        if (counts.size() != digits) {
            wrong("counts", "must have as many entries as 'digits' says");
        }
    }
    /// Rejects unknown members. \pre all known members were read
    void finish() {
        for (auto const& [name, value] : object_.items()) {
            if (std::ranges::find(known_, name) == known_.end()) {
                fail(not_a_record("has the unknown field '" + path_ + name + "'"));
            }
        }
    }

  private:
    void fail(InputError error) {
        if (!problem_) {
            problem_ = std::move(error);
        }
    }
    void wrong(std::string_view name, std::string const& rule) {
        fail(not_a_record("field '" + path_ + std::string(name) + "' " + rule));
    }
    Json const* find(std::string_view name) {
        known_.push_back(name);
        auto const found = object_.find(name);
        return found == object_.end() ? nullptr : &*found;
    }
    Json const* required(std::string_view name) {
        Json const* json = find(name);
        if (json == nullptr) {
            fail(not_a_record("lacks the field '" + path_ + std::string(name) + "'"));
        }
        return json;
    }

    template <std::integral Integer>
    void take(std::string_view name, Json const& json, Integer& value) {
        using Limits = std::numeric_limits<Integer>;
        if (auto const* positive = json.get_ptr<Json::number_unsigned_t const*>()) {
            if (std::in_range<Integer>(*positive)) {
                value = static_cast<Integer>(*positive);
                return;
            }
        } else if (auto const* number = json.get_ptr<Json::number_integer_t const*>()) {
            if (std::in_range<Integer>(*number)) {
                value = static_cast<Integer>(*number);
                return;
            }
        }
        wrong(name,
              "must be a whole number from " + std::to_string(Limits::min()) + " to " +
                  std::to_string(Limits::max()));
    }
    void take(std::string_view name, Json const& json, bool& value) {
        json.is_boolean() ? void(value = json.get<bool>()) : wrong(name, "must be true or false");
    }
    void take(std::string_view name, Json const& json, double& value) {
        json.is_number() ? void(value = json.get<double>()) : wrong(name, "must be a number");
    }
    void take(std::string_view name, Json const& json, std::string& value) {
        json.is_string() ? void(value = json.get<std::string>()) : wrong(name, "must be a string");
    }
    void take(std::string_view name, Json const& json, PhaseName& value) {
        std::string text;
        take(name, json, text);
        value = PhaseName::of(std::move(text));
    }
    void take(std::string_view name, Json const& json, GpuId& value) {
        take(name, json, value.value);
    }
    void take(std::string_view name, Json const& json, KeyType& value) {
        take_name(name, json, value, parse_key_type);
        if (first_version(value) > version_) {
            wrong(name, "must have at most 64 bits in version " + std::to_string(version_));
        }
    }
    template <class Enum>
    requires std::is_enum_v<Enum>
    void take(std::string_view name, Json const& json, Enum& value) {
        take_name(name, json, value, [&](std::string_view text) { return parsed(text, value); });
    }
    static auto parsed(std::string_view text, Direction) { return parse_direction(text); }
    static auto parsed(std::string_view text, ValueType) { return parse_value_type(text); }
    static auto parsed(std::string_view text, Stability) { return parse_stability(text); }
    static auto parsed(std::string_view text, ZeroOrder) { return parse_zero_order(text); }
    static auto parsed(std::string_view text, PlacementState) {
        return parse_placement_state(text);
    }
    static auto parsed(std::string_view text, Tie) { return parse_tie(text); }
    static auto parsed(std::string_view text, SwapLayout) { return parse_swap_layout(text); }
    auto parsed(std::string_view text, DigestStage) { return parse_digest_stage(text, version_); }
    auto parsed(std::string_view text, Operation) { return parse_operation(text, version_); }
    void take(std::string_view name, Json const& json, KeyImage& value) {
        auto const* text = json.get_ptr<std::string const*>();
        bool const is_short = text != nullptr && is_hex(*text, hex_digits);
        bool const is_long = text != nullptr && is_hex(*text, 2 * hex_digits) &&
                             !text->starts_with(std::string(hex_digits, '0'));
        if (!is_short && !is_long) {
            return wrong(name,
                         "must be a string of 16 lower-case hexadecimal digits, or of 32 where the "
                         "first 16 are not all 0");
        }
        value.high = is_long ? std::stoull(text->substr(0, hex_digits), nullptr, 16) : 0;
        value.low = std::stoull(text->substr(text->size() - hex_digits), nullptr, 16);
    }
    void take(std::string_view name, Json const& json, std::vector<KeyImage>& values) {
        if (!json.is_array() || json.size() > digits_max) {
            return wrong(name, "must be a list of at most " + std::to_string(digits_max) + " keys");
        }
        for (Json const& entry : json) {
            take(name, entry, values.emplace_back());
        }
    }
    void take(std::string_view name, Json const& json, std::vector<bool>& flags) {
        auto const* text = json.get_ptr<std::string const*>();
        if (text == nullptr || text->size() > digits_max ||
            text->find_first_not_of("01") != std::string::npos) {
            return wrong(name, "must be a string of the digits 0 and 1");
        }
        for (char const digit : *text) {
            flags.push_back(digit == '1');
        }
    }
    template <class Value>
    void take(std::string_view name, Json const& json, std::map<std::string, Value>& values) {
        if (!json.is_object()) {
            return wrong(name, "must be an object");
        }
        ObjectFields members(json, version_, path_ + std::string(name) + ".", problem_);
        for (auto const& [key, value] : json.items()) {
            members(key, values[key]);
        }
    }
    template <std::integral Integer>
    void take(std::string_view name, Json const& json, std::vector<Integer>& values) {
        if (!json.is_array() || json.size() > digits_max) {
            return wrong(name, "must be a list of whole numbers");
        }
        for (Json const& entry : json) {
            take(name, entry, values.emplace_back());
        }
    }
    void take(std::string_view name, Json const& json, std::vector<std::string>& texts) {
        if (!json.is_array() || json.empty()) {
            return wrong(name, "must be a list of strings, or absent");
        }
        for (Json const& entry : json) {
            take(name, entry, texts.emplace_back());
        }
    }
    template <class Record>
    requires requires(Record& record, ObjectFields& fields) { visit_fields(record, fields); }
    void take(std::string_view name, Json const& json, Record& value) {
        if (!json.is_object()) {
            return wrong(name, "must be an object");
        }
        ObjectFields members(json, version_, path_ + std::string(name) + ".", problem_);
        visit_fields(value, members);
        members.finish();
    }
    /// Tries the rules in the order of the variant. \return false if none has that name
    template <std::size_t index = 0>
    bool take_rule(std::string_view word, BucketRule& rule) {
        if constexpr (index < std::variant_size_v<BucketRule>) {
            if (word != rule_words[index]) {
                return take_rule<index + 1>(word, rule);
            }
            visit_fields(rule.emplace<index>(), *this);
        }
        return index < std::variant_size_v<BucketRule>;
    }
    template <class Enum, class Parse>
    void take_name(std::string_view name, Json const& json, Enum& value, Parse parse) {
        auto const* text = json.get_ptr<std::string const*>();
        if (text == nullptr) {
            return wrong(name, "must be a string");
        }
        auto const parsed = parse(*text);
        parsed ? void(value = *parsed)
               : wrong(name, "is wrong: " + parsed.error().problem + ", " + parsed.error().remedy);
    }
    void take_sparse(Json const& pairs, std::vector<std::uint64_t>& counts) {
        std::uint64_t next_digit = 0;
        std::string const rule =
            "must be a list of pairs [digit, count], digits ascending, no count zero";
        if (!pairs.is_array()) {
            return wrong("nonzero", rule);
        }
        for (Json const& pair : pairs) {
            if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
                !pair[1].is_number_unsigned()) {
                return wrong("nonzero", rule);
            }
            auto const digit = pair[0].get<std::uint64_t>();
            auto const count = pair[1].get<std::uint64_t>();
            if (digit < next_digit || digit >= counts.size() || count == 0) {
                return wrong("nonzero", rule);
            }
            counts[digit] = count;
            next_digit = digit + 1;
        }
    }

    Json const& object_;
    int version_;
    std::string path_;
    std::optional<InputError>& problem_;
    std::vector<std::string_view> known_;
};

/// Parses JSON; rejects duplicate member names, which nlohmann-json would accept.
Expected<Json> parse_unique(std::string_view text) {
    std::vector<std::set<std::string>> names;
    std::optional<std::string> duplicate;
    auto const watch = [&](int, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::object_start) {
            names.emplace_back();
        } else if (event == Json::parse_event_t::object_end) {
            names.pop_back();
        } else if (event == Json::parse_event_t::key) {
            auto const name = parsed.get<std::string>();
            if (!names.back().insert(name).second) {
                duplicate = name;
            }
        }
        return true;
    };
    Json json = Json::parse(text, watch, false);
    if (duplicate) {
        return tl::unexpected(not_a_record("has the field '" + *duplicate + "' twice"));
    }
    if (!json.is_object()) {
        return tl::unexpected(not_a_record("is not a JSON object"));
    }
    return json;
}

/// The format version in a header.
Expected<int> version_of(Json const& object) {
    std::optional<InputError> problem;
    int version = 0;
    ObjectFields fields(object, trace_format_version, "", problem);
    fields.constant("format", trace_format_name);
    fields("version", version);
    if (!problem && version > trace_format_version) {
        problem = InputError{"",
                             "has format version " + std::to_string(version) +
                                 ", and this program reads up to version " +
                                 std::to_string(trace_format_version),
                             "use a newer keyswap"};
    } else if (!problem && version < 1) {
        problem = not_a_record("has format version " + std::to_string(version));
    }
    if (problem) {
        return tl::unexpected(std::move(*problem));
    }
    return version;
}

template <class Record>
Expected<TraceLine> decode_record(Json const& object, int version) {
    std::optional<InputError> problem;
    ObjectFields fields(object, version, "", problem);
    fields.ignore("record");
    fields.ignore(trace_checksum_name);
    Record record;
    if constexpr (std::same_as<Record, TraceEnd>) {
        fields("records", record.record_count);
    } else {
        if constexpr (std::same_as<Record, RunHeader>) {
            record.version = version;
            for (std::string_view const name : {"format", "version", "units"}) {
                fields.ignore(name);
            }
        }
        visit_fields(record, fields);
    }
    fields.finish();
    if (problem) {
        return tl::unexpected(std::move(*problem));
    }
    if constexpr (std::same_as<Record, TraceEnd>) {
        return record;
    } else {
        return TraceRecord(std::move(record));
    }
}

/// Finds the record type by name, in the order of the variant, and decodes the record.
template <std::size_t index = 0>
Expected<TraceLine> decode_named(std::string const& name, Json const& object, int version) {
    if constexpr (index == std::variant_size_v<TraceRecord>) {
        if (name == trace_end_name) {
            return decode_record<TraceEnd>(object, version);
        }
        return tl::unexpected(
            not_a_record("is of the unknown record type '" + name.substr(0, 40) + "'"));
    } else {
        using Record = std::variant_alternative_t<index, TraceRecord>;
        if (name != record_kinds[index].name || version < record_kinds[index].version) {
            return decode_named<index + 1>(name, object, version);
        }
        if constexpr (std::same_as<Record, RunHeader>) {
            return version_of(object).and_then(
                [&](int named) { return decode_record<RunHeader>(object, named); });
        } else {
            return decode_record<Record>(object, version);
        }
    }
}

constexpr std::string_view record_begin = R"({"record":)";

} // namespace

Expected<TraceLine> decode_line(std::string_view text, int version) {
    if (text.size() < checksum_member_size || !text.ends_with(checksum_end)) {
        return tl::unexpected(damaged("does not end in a checksum"));
    }
    std::string_view const covered = text.substr(0, text.size() - checksum_member_size);
    std::string_view const member = text.substr(covered.size());
    if (!member.starts_with(checksum_begin)) {
        return tl::unexpected(damaged("does not end in a checksum"));
    }
    std::string const expected = checksum_text(covered);
    if (member.substr(checksum_begin.size(), checksum_digits) != expected) {
        return tl::unexpected(damaged("its checksum does not match its text (" + expected + ")"));
    }
    KEYSWAP_TRY(auto const object, parse_unique(text));
    auto const name = object.find("record");
    if (name == object.end() || !name->is_string()) {
        return tl::unexpected(not_a_record("lacks the field 'record'"));
    }
    if (!text.starts_with(record_begin)) { // other programs find records by this prefix
        return tl::unexpected(not_a_record("does not begin with the field 'record'"));
    }
    return decode_named(name->get<std::string>(), object, version);
}

} // namespace keyswap
