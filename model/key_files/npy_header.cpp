#include "model/key_files/npy_header.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/errors/utf8.hpp"
#include "traces/format/little_endian.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t header_size_max = std::size_t{1} << 20; ///< real ones have 128 bytes
constexpr std::size_t written_size = 128; ///< a multiple of 64, the alignment that NEP 1 requires

/// NumPy's descriptor of the keys as stored in the file.
std::string_view descriptor_of(NpyHeader const& header) {
    return header.narrow_type ? traits_of(*header.narrow_type).numpy
                              : traits_of(header.key_type).numpy;
}

tl::unexpected<InputError> malformed(std::string const& name, std::string const& problem) {
    return input_error(name, problem, "save the array again with numpy.save");
}

/// Parses the Python dictionary of a header.
class DictionaryText {
  public:
    explicit DictionaryText(std::string_view text) : text_(text) {}

    bool take(char expected) {
        skip_spaces();
        bool const found = !text_.empty() && text_.front() == expected;
        text_.remove_prefix(found ? 1 : 0);
        return found;
    }
    bool take_word(std::string_view word) {
        skip_spaces();
        bool const found = text_.starts_with(word);
        text_.remove_prefix(found ? word.size() : 0);
        return found;
    }
    std::optional<std::string_view> take_string() {
        skip_spaces();
        bool const has_prefix = text_.starts_with("u'") || text_.starts_with("u\""); // Python 2
        text_.remove_prefix(has_prefix ? 1 : 0);
        if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) {
            return std::nullopt;
        }
        std::size_t end = 1;
        while (end < text_.size() && text_[end] != text_.front()) {
            end += text_[end] == '\\' ? 2 : 1;
        }
        if (end >= text_.size()) {
            return std::nullopt;
        }
        std::string_view const content = text_.substr(1, end - 1);
        text_.remove_prefix(end + 1);
        return content;
    }
    std::optional<std::uint64_t> take_number() {
        skip_spaces();
        std::uint64_t number = 0;
        auto const [end, error] =
            std::from_chars(text_.data(), text_.data() + text_.size(), number);
        if (error != std::errc()) {
            return std::nullopt;
        }
        text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
        take('L'); // suffix of Python 2's long integers
        return number;
    }
    /// Parses the field list of a record: [('name', '<i4'), (('title', 'name'), '<f8', (3,))]
    std::optional<std::vector<NpyField>> take_fields() {
        if (!take('[')) {
            return std::nullopt;
        }
        std::vector<NpyField> fields;
        while (!take(']')) {
            auto field = take_field();
            if (!field) {
                return std::nullopt;
            }
            fields.push_back(*std::move(field));
            if (!take(',')) {
                if (!take(']')) {
                    return std::nullopt;
                }
                break;
            }
        }
        return fields;
    }
    bool at_end() {
        skip_spaces();
        return text_.empty();
    }

  private:
    std::optional<NpyField> take_field() {
        if (!take('(')) {
            return std::nullopt;
        }
        bool const has_title = take('(');
        if (has_title && (!take_string() || !take(','))) {
            return std::nullopt;
        }
        NpyField field;
        auto const name = take_string();
        if (!name || (has_title && !take(')')) || !take(',')) {
            return std::nullopt;
        }
        field.name = *name;
        if (auto const descriptor = take_string()) {
            field.descriptor = *descriptor;
        } else if (!skip_brackets()) {
            return std::nullopt;
        }
        if (take(')')) {
            return field;
        }
        field.is_array = true;
        return take(',') && skip_brackets() && take(')') ? std::optional(field) : std::nullopt;
    }
    /// Skips a list or tuple with any contents.
    bool skip_brackets() {
        skip_spaces();
        if (!text_.starts_with('[') && !text_.starts_with('(')) {
            return false;
        }
        int depth = 0;
        do {
            skip_spaces();
            if (text_.empty()) {
                return false;
            }
            char const letter = text_.front();
            if (take_string()) {
                continue;
            }
            depth += letter == '[' || letter == '(' ? 1 : letter == ']' || letter == ')' ? -1 : 0;
            text_.remove_prefix(1);
        } while (depth > 0);
        return true;
    }
    void skip_spaces() {
        std::size_t const begin = text_.find_first_not_of(" \t\r\n");
        text_.remove_prefix(begin == std::string_view::npos ? text_.size() : begin);
    }
    std::string_view text_;
};

struct Dictionary {
    std::optional<std::string_view> descriptor;
    std::optional<std::vector<NpyField>> fields; ///< of a structured array, instead of a descriptor
    std::optional<bool> fortran_order;
    std::optional<std::vector<std::uint64_t>> shape;
};

bool take_shape(DictionaryText& text, Dictionary& dictionary) {
    if (dictionary.shape || !text.take('(')) {
        return false;
    }
    std::vector<std::uint64_t> shape;
    while (!text.take(')')) {
        auto const extent = text.take_number();
        if (!extent) {
            return false;
        }
        shape.push_back(*extent);
        if (!text.take(',')) {
            if (!text.take(')')) {
                return false;
            }
            break;
        }
    }
    dictionary.shape = std::move(shape);
    return true;
}

bool take_member(DictionaryText& text, Dictionary& dictionary) {
    auto const name = text.take_string();
    if (!name || !text.take(':')) {
        return false;
    }
    if (*name == "shape") {
        return take_shape(text, dictionary);
    }
    if (*name == "descr" && !dictionary.descriptor && !dictionary.fields) {
        dictionary.descriptor = text.take_string();
        if (!dictionary.descriptor) {
            dictionary.fields = text.take_fields();
        }
        return dictionary.descriptor || dictionary.fields;
    }
    if (*name == "fortran_order" && !dictionary.fortran_order) {
        bool const is_true = text.take_word("True");
        dictionary.fortran_order = is_true;
        return is_true || text.take_word("False");
    }
    return false;
}

std::optional<Dictionary> parse_dictionary(std::string_view header) {
    DictionaryText text(header);
    Dictionary dictionary;
    if (!text.take('{')) {
        return std::nullopt;
    }
    while (!text.take('}')) {
        if (!take_member(text, dictionary)) {
            return std::nullopt;
        }
        if (!text.take(',')) {
            if (!text.take('}')) {
                return std::nullopt;
            }
            break;
        }
    }
    bool const complete = (dictionary.descriptor || dictionary.fields) &&
                          dictionary.fortran_order && dictionary.shape;
    return complete && text.at_end() ? std::optional(dictionary) : std::nullopt;
}

/// A field's name as UTF-8. \param text body of a Python literal; Latin-1 before version 3
std::string field_name(std::string_view text, bool is_latin) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        bool const escaped = text[i] == '\\' && i + 1 < text.size() &&
                             std::string_view("\\'\"").find(text[i + 1]) != std::string_view::npos;
        char const letter = text[escaped ? ++i : i];
        auto const code = static_cast<unsigned char>(letter);
        if (!is_latin || !append_utf8(name, code)) {
            name += letter;
        }
    }
    return name;
}

/// NumPy's canonical spelling of a type: "|u1" for "<u1", "<u4" for "=u4"; ">u4" is unchanged.
std::string written_form(std::string_view descriptor) {
    bool const has_order = !descriptor.empty() && std::string_view("<>=|").find(
                                                      descriptor.front()) != std::string_view::npos;
    char const order = has_order ? descriptor.front() : '=';
    std::string_view const type = has_order ? descriptor.substr(1) : descriptor;
    bool const is_type = type.size() > 1 && (type[1] >= '0' && type[1] <= '9');
    if (!is_type) {
        return std::string(descriptor);
    }
    bool const has_no_order = type == "u1" || type == "i1" || type == "b1" ||
                              type.starts_with('S') || type.starts_with('V');
    return (has_no_order ? '|' : order == '>' ? '>' : '<') + std::string(type);
}

/// An error for a dtype that is not a key type, with the conversion to use.
InputError no_key_type(std::string_view descriptor, std::string const& name) {
    std::string const problem =
        "its dtype '" + std::string(descriptor.substr(0, 40)) + "' is not a key type";
    char const kind = descriptor.size() > 1 ? descriptor[1] : '\0';
    switch (kind) {
    case 'b':
        return {name, problem + ": it is bool", "save a.astype('u1')"};
    case 'M':
    case 'm':
        return {name, problem + ": it is a date or a duration", "save a.astype('i8')"};
    case 'U':
    case 'S':
        return {name,
                problem + ": it is text",
                "number the texts (numpy.unique(a, return_inverse=True)[1]), or save keys of 16 "
                "bytes as S16"};
    case 'O':
        return {
            name, problem + ": it holds Python objects", "save a.astype('i8') or another number"};
    case 'f':
        return {name, problem, "save a.astype('f8'), which rounds the keys"};
    default:
        return {name,
                problem,
                "use whole numbers of 8 to 64 bits, float16, float32, float64, or S16 for keys of "
                "16 bytes"};
    }
}

/// The header for an array's element type, with key_count still 0.
Expected<NpyHeader> described_type(std::string_view descriptor, std::string const& name) {
    if (descriptor.empty()) {
        return tl::unexpected(no_key_type(descriptor, name));
    }
    bool const big_endian = descriptor.starts_with('>');
    std::string const known_form =
        big_endian ? "<" + std::string(descriptor.substr(1)) : std::string(descriptor);
    if (auto const* const row = std::ranges::find(key_traits, known_form, &KeyTraits::numpy);
        row != key_traits.end()) {
        return NpyHeader{row->type, 0, std::nullopt, big_endian};
    }
    if (auto const* const row = std::ranges::find(narrow_traits, known_form, &NarrowTraits::numpy);
        row != narrow_traits.end()) {
        return NpyHeader{widened_type(row->type), 0, row->type, big_endian};
    }
    return tl::unexpected(no_key_type(descriptor, name));
}

} // namespace

Expected<std::size_t> npy_header_size(std::string_view start, std::string const& name) {
    if (!start.starts_with(magic)) {
        return input_error(name,
                           "is not a .npy file",
                           "save it with numpy.save, or name its format with " + setting("format"));
    }
    if (start.size() < npy_prefix_size) {
        return malformed(name, "its .npy header is cut off");
    }
    auto const version = static_cast<unsigned char>(start[magic.size()]);
    if (version < 1 || version > 3) {
        return malformed(name,
                         "has .npy version " + std::to_string(version) +
                             ", and only 1 to 3 are supported");
    }
    std::size_t const length_bytes = version == 1 ? 2 : 4;
    std::size_t const length_at = magic.size() + 2;
    std::uint64_t const length = little_endian(start, length_at, length_bytes);
    if (length > header_size_max) {
        return malformed(name, "its .npy header claims " + std::to_string(length) + " bytes");
    }
    return length_at + length_bytes + length;
}

Expected<NpyLayout> parse_npy_layout(std::string_view header, std::string const& name) {
    KEYSWAP_TRY(auto const size, npy_header_size(header.substr(0, npy_prefix_size), name));
    if (header.size() < size) {
        return malformed(name, "its .npy header is cut off");
    }
    char const version = header[magic.size()];
    std::size_t const text_at = magic.size() + 2 + (version == 1 ? 2 : 4);
    auto const dictionary = parse_dictionary(header.substr(text_at, size - text_at));
    if (!dictionary) {
        return malformed(name, "its .npy header cannot be understood");
    }
    NpyLayout layout;
    layout.descriptor = dictionary->descriptor.value_or("");
    layout.fields = dictionary->fields.value_or(std::vector<NpyField>{});
    for (NpyField& field : layout.fields) {
        field.name = field_name(field.name, version < 3);
    }
    layout.fortran_order = *dictionary->fortran_order;
    layout.shape = *dictionary->shape;
    return layout;
}

Expected<NpyArray> parse_npy_array(std::string_view header, std::string const& name) {
    KEYSWAP_TRY(auto const layout, parse_npy_layout(header, name));
    if (!layout.fields.empty()) {
        std::string names;
        std::string first;
        for (NpyField const& field : layout.fields) {
            names += (names.empty() || field.name.empty() ? "" : ", ") + field.name;
            first = first.empty() ? field.name : first;
        }
        return input_error(name,
                           "holds records of fields " + printable_text(names.substr(0, 200)),
                           "save one field: a['" + printable_text(first) + "']");
    }
    auto const& shape = layout.shape;
    // The order of dimensions does not matter if the elements lie in one row.
    auto const lengths = std::ranges::count_if(shape, [](std::uint64_t n) { return n != 1; });
    if (shape.empty() || lengths > 1) {
        std::string const text = joined_text(shape, ", ");
        return input_error(name,
                           "has " + std::to_string(shape.size()) + " dimensions, its shape is (" +
                               text + "), and keys need one dimension",
                           shape.size() == 2 ? "save a column, a[:, 0], or all of them, a.ravel()"
                                             : "save a.ravel()");
    }
    auto const extent = std::ranges::find_if(shape, [](std::uint64_t n) { return n != 1; });
    std::uint64_t const count = extent == shape.end() ? 1 : *extent;
    if (count > std::numeric_limits<std::uint64_t>::max() / 16) {
        return malformed(name, "its .npy header claims too many keys");
    }
    return NpyArray{written_form(layout.descriptor), count};
}

Expected<NpyHeader> parse_npy_header(std::string_view header, std::string const& name) {
    KEYSWAP_TRY(auto const array, parse_npy_array(header, name));
    return described_type(array.descriptor, name).map([&](NpyHeader described) {
        described.key_count = array.count;
        return described;
    });
}

std::string npy_header_text(NpyHeader const& header) {
    std::string descriptor(descriptor_of(header));
    if (header.big_endian && descriptor.starts_with('<')) {
        descriptor.front() = '>';
    }
    std::string dictionary = "{'descr': '" + descriptor + "', 'fortran_order': False, 'shape': (" +
                             std::to_string(header.key_count) + ",), }";
    std::string text(magic);
    text += std::string("\x01\x00", 2);
    std::size_t const dictionary_size = written_size - text.size() - 2;
    KEYSWAP_ENSURES(dictionary.size() < dictionary_size);
    text += static_cast<char>(dictionary_size);
    text += '\0';
    dictionary.resize(dictionary_size - 1, ' ');
    return text + dictionary + '\n';
}

} // namespace keyswap::model
