#include "traces/contracts.hpp"
#include "traces/trace_fields.hpp"
#include "traces/trace_line.hpp"
#include "traces/trace_names.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <zlib.h>

namespace keyswap {

namespace {

constexpr std::string_view units_text = R"({"position":"key","offset":"key","time":"ns"})";

template <class Integer>
void append_integer(std::string& text, Integer value) {
    std::array<char, 24> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
    text.append(digits.data(), end);
}

std::string hex_text(std::uint64_t value, std::size_t digit_count) {
    std::string text(digit_count, '0');
    for (std::size_t i = digit_count; i > 0; --i, value >>= 4) {
        text[i - 1] = "0123456789abcdef"[value & 15];
    }
    return text;
}

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// Writes the members of one JSON object in the order in which they are given.
class ObjectText {
  public:
    explicit ObjectText(std::string& text) : text_(text) { text_ += '{'; }

    void raw(std::string_view name, std::string_view json) {
        begin(name);
        text_ += json;
    }
    void hex(std::string_view name, std::uint64_t value) {
        raw(name, '"' + hex_text(value, 16) + '"');
    }
    template <class Value>
    void operator()(std::string_view name, Value const& value) {
        begin(name);
        if constexpr (std::same_as<Value, bool>) {
            text_ += value ? "true" : "false";
        } else if constexpr (std::integral<Value>) {
            append_integer(text_, value);
        } else if constexpr (std::same_as<Value, std::string>) {
            text_ += json_string(value);
        } else if constexpr (std::same_as<Value, GpuId>) {
            append_integer(text_, value.value);
        } else if constexpr (std::is_enum_v<Value>) {
            text_ += json_string(to_string(value));
        } else if constexpr (std::same_as<Value, std::vector<int>>) {
            append_list(value);
        } else {
            ObjectText members(text_);
            visit_fields(value, members);
            members.end();
        }
    }
    void operator()(std::string_view name, std::optional<double> const& value) {
        if (value) {
            KEYSWAP_EXPECTS(std::isfinite(*value));
            raw(name, nlohmann::json(*value).dump());
        }
    }
    void operator()(std::string_view name, std::optional<MultisetDigest> const& value) {
        if (value) {
            (*this)(name, *value);
        }
    }
    /// All counts, or only those that are not zero, whichever text is shorter.
    void counts(std::vector<std::uint64_t> const& counts) {
        std::string dense;
        append_list(counts, dense);
        std::string sparse = "[";
        for (std::size_t digit = 0; digit < counts.size() && sparse.size() < dense.size();
             ++digit) {
            if (counts[digit] != 0) {
                sparse += sparse.size() > 1 ? ",[" : "[";
                append_integer(sparse, digit);
                sparse += ',';
                append_integer(sparse, counts[digit]);
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
    template <class Integer>
    static void append_list(std::vector<Integer> const& values, std::string& text) {
        text += '[';
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i > 0) {
                text += ',';
            }
            append_integer(text, values[i]);
        }
        text += ']';
    }
    void append_list(std::vector<int> const& values) { append_list(values, text_); }

    std::string& text_;
};

struct Encoder {
    ObjectText& object;

    template <class Record>
    void operator()(Record const& record) const {
        object.raw("record", json_string(record_name<Record>));
        if constexpr (std::same_as<Record, RunHeader>) {
            object.raw("format", json_string(trace_format_name));
            object("version", trace_format_version);
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

std::string encode_line(TraceLine const& line) {
    std::string text;
    ObjectText object(text);
    std::visit(Encoder{object}, line);
    std::string const checksum = checksum_text(text);
    object.raw(trace_checksum_name, json_string(checksum));
    object.end();
    text += '\n';
    return text;
}

} // namespace keyswap
