#include "traces/errors/contracts.hpp"
#include "traces/errors/hex_text.hpp"
#include "traces/format/trace_fields.hpp"
#include "traces/format/trace_line.hpp"
#include "traces/format/trace_names.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <zlib.h>

namespace keyswap {

namespace {

constexpr auto json_error_handler = nlohmann::json::error_handler_t::replace;
constexpr std::string_view units_text = R"({"position":"key","offset":"key","time":"ns"})";

template <std::integral Integer>
void append(std::string& text, Integer value) {
    std::array<char, 24> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

void append(std::string& text, KeyImage image) {
    text += '"' + (image.high == 0 ? "" : hex_text(image.high, 16)) + hex_text(image.low, 16) + '"';
}

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, json_error_handler);
}

/// Writes the members of one JSON object in call order.
class ObjectText {
  public:
    ObjectText(std::string& text, int version) : text_(text), version_(version) { text_ += '{'; }

    [[nodiscard]] int version() const { return version_; }
    template <class Value>
    void since(int version, std::string_view name, Value const& value) {
        if (version_ >= version) {
            (*this)(name, value);
        } else {
            KEYSWAP_EXPECTS(value == Value{});
        }
    }

    void raw(std::string_view name, std::string_view json) {
        begin(name);
        text_ += json;
    }
    void hex(std::string_view name, std::uint64_t value) {
        raw(name, '"' + hex_text(value, 16) + '"');
    }
    /// Writes the rule's name, then its fields.
    void rule(BucketRule const& rule) {
        raw("rule", json_string(rule_words[rule.index()]));
        std::visit([this](auto const& alternative) { visit_fields(alternative, *this); }, rule);
    }
    template <class Value>
    void operator()(std::string_view name, Value const& value) {
        begin(name);
        if constexpr (std::same_as<Value, bool>) {
            text_ += value ? "true" : "false";
        } else if constexpr (std::integral<Value>) {
            append(text_, value);
        } else if constexpr (std::same_as<Value, std::string>) {
            text_ += json_string(value);
        } else if constexpr (std::same_as<Value, PhaseName>) {
            text_ += json_string(value.text());
        } else if constexpr (std::same_as<Value, GpuId>) {
            append(text_, value.value);
        } else if constexpr (std::same_as<Value, KeyImage>) {
            append(text_, value);
        } else if constexpr (std::is_enum_v<Value>) {
            if constexpr (requires { first_version(value); }) {
                KEYSWAP_EXPECTS(first_version(value) <= version_);
            }
            text_ += json_string(to_string(value));
        } else if constexpr (std::same_as<Value, double>) {
            KEYSWAP_EXPECTS(std::isfinite(value));
            text_ += nlohmann::json(value).dump();
        } else {
            ObjectText members(text_, version_);
            visit_fields(value, members);
            members.end();
        }
    }
    template <class Value>
    void operator()(std::string_view name, std::optional<Value> const& value) {
        if (value) {
            (*this)(name, *value);
        }
    }
    template <std::integral Integer>
    void operator()(std::string_view name, std::vector<Integer> const& values) {
        begin(name);
        append_list(values, text_);
    }
    template <class Value>
    void operator()(std::string_view name, std::map<std::string, Value> const& values) {
        begin(name);
        text_ += nlohmann::json(values).dump(-1, ' ', false, json_error_handler);
    }
    /// Omitted if empty.
    void operator()(std::string_view name, std::vector<std::string> const& texts) {
        if (!texts.empty()) {
            raw(name, nlohmann::json(texts).dump(-1, ' ', false, json_error_handler));
        }
    }
    void operator()(std::string_view name, std::vector<KeyImage> const& images) {
        begin(name);
        append_list(images, text_);
    }
    /// One character per flag: '0' or '1'.
    void operator()(std::string_view name, std::vector<bool> const& flags) {
        std::string text;
        for (bool const flag : flags) {
            text += flag ? '1' : '0';
        }
        raw(name, json_string(text));
    }
    /// Writes a dense list or only the non-zero counts, whichever is shorter.
    void counts(std::vector<std::uint64_t> const& counts) {
        std::string dense;
        append_list(counts, dense);
        std::string sparse = "[";
        for (std::size_t digit = 0; digit < counts.size() && sparse.size() < dense.size();
             ++digit) {
            if (counts[digit] != 0) {
                sparse += sparse.size() > 1 ? ",[" : "[";
                append(sparse, digit);
                sparse += ',';
                append(sparse, counts[digit]);
                sparse += ']';
            }
        }
        sparse += ']';
        (*this)("digits", counts.size());
        bool const use_sparse = sparse.size() < dense.size();
        raw(use_sparse ? "nonzero" : "counts", use_sparse ? sparse : dense);
    }
    void end() { text_ += '}'; }

  private:
    void begin(std::string_view name) {
        text_ += text_.back() == '{' ? "\"" : ",\"";
        text_ += name;
        text_ += "\":";
    }
    template <class Value>
    static void append_list(std::vector<Value> const& values, std::string& text) {
        text += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) {
                text += ',';
            }
            append(text, values[i]);
        }
        text += ']';
    }

    std::string& text_;
    int version_;
};

struct Encoder {
    ObjectText& object;

    template <class Record>
    void operator()(Record const& record) const {
        KEYSWAP_EXPECTS(record_kind<Record>.version <= object.version());
        object.raw("record", json_string(record_kind<Record>.name));
        if constexpr (std::same_as<Record, RunHeader>) {
            object.raw("format", json_string(trace_format_name));
            object("version", record.version);
            object.raw("units", units_text);
        }
        visit_fields(record, object);
    }
    void operator()(TraceRecord const& record) const { std::visit(*this, record); }
    void operator()(TraceEnd const& end) const {
        object.raw("record", json_string(trace_end_name));
        object("records", end.record_count);
    }
};

} // namespace

std::string checksum_text(std::string_view bytes) {
    uLong const crc = crc32_z(0, reinterpret_cast<Bytef const*>(bytes.data()), bytes.size());
    return hex_text(crc, 8);
}

std::string encode_line(TraceLine const& line, int version) {
    auto const* record = std::get_if<TraceRecord>(&line);
    auto const* header = record == nullptr ? nullptr : std::get_if<RunHeader>(record);
    int const of_line = header == nullptr ? version : header->version;
    KEYSWAP_EXPECTS(of_line >= 1 && of_line <= trace_format_version);
    std::string text;
    ObjectText object(text, of_line);
    std::visit(Encoder{object}, line);
    std::string const checksum = checksum_text(text);
    object.raw(trace_checksum_name, json_string(checksum));
    object.end();
    text += '\n';
    return text;
}

} // namespace keyswap
