#include "model/rows/sort_keys.hpp"

#include "traces/errors/error_subject.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <array>
#include <optional>

namespace keyswap::model {

namespace {

/// Splits a text into parts with their terminators.
struct KeyPart {
    std::string text;
    bool quoted = false;
    char end = ','; ///< ',' also at the end of the text
};

tl::unexpected<InputError> wrong_keys(std::string problem, std::string remedy) {
    return input_error("", std::move(problem), std::move(remedy));
}

Expected<std::vector<KeyPart>> parts_of(std::string_view text) {
    std::vector<KeyPart> parts(1);
    bool open = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        KeyPart& part = parts.back();
        if (open && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            part.text += text[++i];
        } else if (open) {
            open = text[i] != '"';
            part.text += open ? std::string(1, text[i]) : "";
        } else if (text[i] == '"' && part.text.empty() && !part.quoted) {
            open = part.quoted = true;
        } else if (text[i] == ',' || text[i] == ':') {
            part.end = text[i];
            parts.emplace_back();
        } else if (part.quoted) {
            return wrong_keys("'" + printable_text(text) +
                                  "' goes on after a closing quotation mark",
                              "write \"name\":desc, or two quotation marks for one");
        } else {
            part.text += text[i];
        }
    }
    if (open) {
        return wrong_keys("'" + printable_text(text) + "' has a quotation mark that is not closed",
                          "close it after the column's name");
    }
    return parts;
}

Expected<void>
apply_word(SortKey& key, std::string const& word, bool& has_direction, bool& has_nulls) {
    bool const ascending = word == "asc" || word == "ascending";
    if (ascending || word == "desc" || word == "descending") {
        if (has_direction) {
            return wrong_keys("'" + printable_text(key.column) + "' has two directions",
                              "write asc or desc once");
        }
        has_direction = true;
        key.direction = ascending ? Direction::ascending : Direction::descending;
        return {};
    }
    if (word == "nulls-first" || word == "nulls-last") {
        if (has_nulls) {
            return wrong_keys("'" + printable_text(key.column) + "' has two places for nulls",
                              "write nulls-first or nulls-last once");
        }
        has_nulls = true;
        key.nulls = word == "nulls-first" ? NullPlace::first : NullPlace::last;
        return {};
    }
    KnownNames const known(std::array{"asc", "desc", "nulls-first", "nulls-last"});
    return wrong_keys("'" + printable_text(word) + "' after column '" + printable_text(key.column) +
                          "' is not known",
                      known.remedy(word, "write ", "; quote a name that has a colon: \"a:b\""));
}

/// Errors have an empty subject at this stage.
Expected<SortKeys> parse_keys(std::string_view text) {
    KEYSWAP_TRY(auto const parts, parts_of(text));
    SortKeys keys;
    bool begins = true;
    bool has_direction = false;
    bool has_nulls = false;
    for (KeyPart const& part : parts) {
        if (begins) {
            if (part.text.empty()) {
                return wrong_keys("'" + printable_text(text) + "' has an empty column name",
                                  "write region,amount:desc");
            }
            keys.push_back({part.text});
            has_direction = has_nulls = false;
        } else {
            KEYSWAP_RETURN_IF_ERROR(apply_word(keys.back(), part.text, has_direction, has_nulls));
        }
        begins = part.end == ',';
    }
    return keys;
}

} // namespace

Expected<SortKeys> parse_sort_keys(std::string_view text) {
    return parse_keys(text).map_error(about("sort keys"));
}

std::string_view to_string(NullPlace place) {
    return place == NullPlace::first ? "nulls-first" : "nulls-last";
}

std::string to_string(SortKeys const& keys) {
    std::string text;
    for (SortKey const& key : keys) {
        bool const quote = key.column.find_first_of(",:\"") != std::string::npos;
        std::string name;
        for (char const letter : key.column) {
            name += letter == '"' ? "\"\"" : std::string(1, letter);
        }
        text += (text.empty() ? "" : ",") + (quote ? '"' + name + '"' : name) +
                (key.direction == Direction::ascending ? ":asc:" : ":desc:") +
                std::string(to_string(key.nulls));
    }
    return text;
}

} // namespace keyswap::model
