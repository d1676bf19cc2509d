#include "model/keys/npy_header.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <optional>

namespace keyswap::model {

namespace {

constexpr std::string_view magic{"\x93NUMPY", 6};
constexpr std::size_t header_size_max = std::size_t{1} << 20; ///< real ones have 128 bytes
constexpr std::size_t written_size = 128; ///< a multiple of 64, as NEP 1 asks for alignment

struct Descriptor {
    std::string_view text;
    KeyType type; ///< the keys, or what narrow ones are widened to
    std::optional<NarrowType> narrow = std::nullopt;
};
constexpr std::array<Descriptor, 12> descriptors{{{"<u4", KeyType::u32},
                                                  {"<u8", KeyType::u64},
                                                  {"<i4", KeyType::i32},
                                                  {"<i8", KeyType::i64},
                                                  {"<f4", KeyType::f32},
                                                  {"<f8", KeyType::f64},
                                                  {"|S16", KeyType::b128},
                                                  {"|u1", KeyType::u32, NarrowType::u8},
                                                  {"<u2", KeyType::u32, NarrowType::u16},
                                                  {"|i1", KeyType::i32, NarrowType::i8},
                                                  {"<i2", KeyType::i32, NarrowType::i16},
                                                  {"<f2", KeyType::f32, NarrowType::f16}}};

/// NumPy's text for the keys as they lie in the file.
std::string_view descriptor_of(NpyHeader const& header) {
    auto const* const found = std::ranges::find_if(descriptors, [&header](Descriptor const& known) {
        return known.type == header.key_type && known.narrow == header.narrow_type;
    });
    return found == descriptors.end() ? std::string_view{} : found->text;
}

InputError malformed(std::string const& name, std::string const& problem) {
    return {name, problem, "save the array again with numpy.save"};
}

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i > 0; --i) {
        value = value << 8 | static_cast<unsigned char>(bytes[i - 1]);
    }
    return value;
}

/// Walks the Python dictionary of a header.
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
        if (text_.empty() || (text_.front() != '\'' && text_.front() != '"')) {
            return std::nullopt;
        }
        std::size_t const end = text_.find(text_.front(), 1);
        if (end == std::string_view::npos) {
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
        return number;
    }
    bool at_end() {
        skip_spaces();
        return text_.empty();
    }

  private:
    void skip_spaces() {
        std::size_t const begin = text_.find_first_not_of(" \n");
        text_.remove_prefix(begin == std::string_view::npos ? text_.size() : begin);
    }
    std::string_view text_;
};

struct Dictionary {
    std::optional<std::string_view> descriptor;
    std::optional<bool> fortran_order;
    std::optional<std::uint64_t> dimensions;
    std::uint64_t last_extent = 0;
};

bool take_shape(DictionaryText& text, Dictionary& dictionary) {
    if (dictionary.dimensions || !text.take('(')) {
        return false;
    }
    std::uint64_t dimensions = 0;
    while (!text.take(')')) {
        auto const extent = text.take_number();
        if (!extent) {
            return false;
        }
        ++dimensions;
        dictionary.last_extent = *extent;
        if (!text.take(',')) {
            if (!text.take(')')) {
                return false;
            }
            break;
        }
    }
    dictionary.dimensions = dimensions;
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
    if (*name == "descr" && !dictionary.descriptor) {
        dictionary.descriptor = text.take_string();
        return dictionary.descriptor.has_value();
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
    bool const complete =
        dictionary.descriptor && dictionary.fortran_order && dictionary.dimensions;
    return complete && text.at_end() ? std::optional(dictionary) : std::nullopt;
}

bool is_big_endian_form(std::string_view descriptor, std::string_view known) {
    return descriptor.starts_with('>') && known.starts_with('<') &&
           known.substr(1) == descriptor.substr(1);
}

/// The type of an array's keys, with no number of them yet.
Expected<NpyHeader> described_type(std::string_view descriptor, std::string const& name) {
    for (Descriptor const& known : descriptors) {
        if (known.text == descriptor) {
            return NpyHeader{known.type, 0, known.narrow};
        }
        if (is_big_endian_form(descriptor, known.text)) {
            return tl::unexpected(
                InputError{name,
                           "holds big-endian numbers ('" + std::string(descriptor) + "')",
                           "save a.astype('" + std::string(known.text) + "')"});
        }
    }
    return tl::unexpected(
        InputError{name,
                   "its dtype '" + std::string(descriptor.substr(0, 40)) + "' is not a key type",
                   "use whole numbers of 8 to 64 bits, float16, float32, float64, or S16 for keys "
                   "of 16 bytes"});
}

} // namespace

Expected<std::size_t> npy_header_size(std::string_view start, std::string const& name) {
    if (!start.starts_with(magic)) {
        return tl::unexpected(
            InputError{name,
                       "is not a .npy file",
                       "save it with numpy.save, or name its format with --format"});
    }
    if (start.size() < npy_prefix_size) {
        return tl::unexpected(malformed(name, "its .npy header is cut off"));
    }
    auto const version = static_cast<unsigned char>(start[magic.size()]);
    if (version < 1 || version > 3) {
        return tl::unexpected(malformed(
            name, "has .npy version " + std::to_string(version) + ", and 1 to 3 are known"));
    }
    std::size_t const length_bytes = version == 1 ? 2 : 4;
    std::size_t const length_at = magic.size() + 2;
    std::uint64_t const length = little_endian(start.substr(length_at, length_bytes));
    if (length > header_size_max) {
        return tl::unexpected(
            malformed(name, "its .npy header claims " + std::to_string(length) + " bytes"));
    }
    return length_at + length_bytes + length;
}

Expected<NpyArray> parse_npy_array(std::string_view header, std::string const& name) {
    auto const size = npy_header_size(header.substr(0, npy_prefix_size), name);
    if (!size) {
        return tl::unexpected(size.error());
    }
    if (header.size() < *size) {
        return tl::unexpected(malformed(name, "its .npy header is cut off"));
    }
    bool const short_length = header[magic.size()] == 1;
    std::size_t const text_at = magic.size() + 2 + (short_length ? 2 : 4);
    auto const dictionary = parse_dictionary(header.substr(text_at, *size - text_at));
    if (!dictionary) {
        return tl::unexpected(malformed(name, "its .npy header cannot be understood"));
    }
    if (*dictionary->dimensions != 1) {
        return tl::unexpected(InputError{name,
                                         "has " + std::to_string(*dictionary->dimensions) +
                                             " dimensions, and keys have one",
                                         "save a.ravel()"});
    }
    if (*dictionary->fortran_order) {
        return tl::unexpected(
            InputError{name, "is in Fortran order", "save numpy.ascontiguousarray(a)"});
    }
    if (dictionary->last_extent > std::numeric_limits<std::uint64_t>::max() / 16) {
        return tl::unexpected(malformed(name, "its .npy header claims too many keys"));
    }
    return NpyArray{std::string(*dictionary->descriptor), dictionary->last_extent};
}

Expected<NpyHeader> parse_npy_header(std::string_view header, std::string const& name) {
    auto const array = parse_npy_array(header, name);
    if (!array) {
        return tl::unexpected(array.error());
    }
    return described_type(array->descriptor, name).map([&](NpyHeader described) {
        described.key_count = array->count;
        return described;
    });
}

std::string npy_header_text(NpyHeader const& header) {
    std::string dictionary = "{'descr': '" + std::string(descriptor_of(header)) +
                             "', 'fortran_order': False, 'shape': (" +
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
