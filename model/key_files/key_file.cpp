#include "model/key_files/key_file.hpp"

#include "model/key_files/csv_reader.hpp"
#include "model/key_files/npy_header.hpp"
#include "model/key_files/opened_key_bytes.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/format/pipe_copy.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace keyswap::model {

static_assert(std::endian::native == std::endian::little, "files are read as memory holds them");

namespace {

namespace fs = std::filesystem;

/// The type of the stored keys and the type to which they are widened.
struct StoredType {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow;
    bool reversed = false; ///< the file has the opposite of its usual byte order
    std::optional<std::string> of = std::nullopt; ///< KeyFileOptions::type_of

    [[nodiscard]] std::size_t size_bytes() const {
        return narrow ? narrow_size_bytes(*narrow) : key_size_bytes(key_type);
    }
    [[nodiscard]] std::string name() const {
        return std::string(stored_type_name(key_type, narrow));
    }
    /// True if both are read as the same keys.
    [[nodiscard]] bool reads_as(StoredType const& other) const {
        return key_type == other.key_type && narrow == other.narrow;
    }
};

InputError
size_not_a_multiple(std::string const& name, std::uint64_t size_bytes, StoredType const& type) {
    return {name,
            "has " + std::to_string(size_bytes) + " bytes, which is not a multiple of the " +
                std::to_string(type.size_bytes()) + " bytes of a " + type.name() + " key" +
                (type.of ? ", which is the type of " + *type.of : ""),
            type.of ? "check that it holds such keys, and that it is complete"
                    : "check " + setting("type") + ", and that the file is complete"};
}

/// Reverses the bytes of each word. \pre whole words
void swap_words(std::span<std::byte> words, std::size_t word_bytes) {
    KEYSWAP_EXPECTS(words.size() % word_bytes == 0);
    for (; !words.empty(); words = words.subspan(word_bytes)) {
        std::ranges::reverse(words.first(word_bytes));
    }
}

/// Reads words as memory stores them, or narrower ones to widen, to the end of the bytes.
class WordReader final : public KeyFileReader {
  public:
    WordReader(std::unique_ptr<ByteSource> bytes,
               std::string name,
               StoredType type,
               std::optional<std::uint64_t> key_count,
               std::optional<std::uint64_t> offset_bytes)
        : bytes_(std::move(bytes)), name_(std::move(name)), type_(std::move(type)),
          key_count_(key_count), offset_bytes_(offset_bytes) {}

    KeyType key_type() const override { return type_.key_type; }
    std::optional<NarrowType> narrow_type() const override { return type_.narrow; }
    std::optional<std::uint64_t> key_count() const override { return key_count_; }
    std::optional<std::uint64_t> file_offset_bytes() const override {
        return type_.narrow || type_.reversed ? std::nullopt : offset_bytes_;
    }

    Expected<std::size_t> read(std::span<std::byte> block) override {
        std::size_t const wide_size = key_size_bytes(type_.key_type);
        std::size_t const key_size = type_.size_bytes();
        KEYSWAP_EXPECTS(block.size() >= wide_size);
        // Narrow keys are read into the end of the block, so that widening in place is safe.
        std::size_t const fitting = block.size() / wide_size;
        auto const stored = block.subspan(fitting * (wide_size - key_size), fitting * key_size);
        std::span<char> const whole_keys(reinterpret_cast<char*>(stored.data()), stored.size());
        KEYSWAP_TRY(auto const size, read_fully(*bytes_, whole_keys));
        done_bytes_ += size;
        if (size % key_size != 0) {
            return tl::unexpected(size_not_a_multiple(name_, done_bytes_, type_));
        }
        if (is_big_endian_in_files(type_.key_type) || type_.reversed) {
            swap_words(stored.first(size), key_size);
        }
        if (type_.narrow) {
            widen(*type_.narrow, stored.first(size), block);
        }
        std::uint64_t const done_keys = done_bytes_ / key_size;
        bool const at_end = size < whole_keys.size();
        if (key_count_ && (done_keys > *key_count_ || (at_end && done_keys < *key_count_))) {
            return tl::unexpected(not_as_announced());
        }
        return size / key_size;
    }

  private:
    /// A file's size was checked on opening; a stream's length is known only at its end.
    InputError not_as_announced() const {
        if (offset_bytes_) {
            return {name_,
                    "changed while it was being read",
                    "run again when nothing is writing to it"};
        }
        return {name_,
                "does not hold the " + std::to_string(*key_count_) +
                    " keys that its header announces",
                "save or copy the array again"};
    }

    std::unique_ptr<ByteSource> bytes_;
    std::string name_;
    StoredType type_;
    std::optional<std::uint64_t> key_count_;
    std::optional<std::uint64_t> offset_bytes_; ///< nullopt unless the file allows random access
    std::uint64_t done_bytes_ = 0;
};

/// nullopt for pipes and devices, which have no size.
std::optional<std::uint64_t> size_of(fs::path const& path) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) {
        return std::nullopt;
    }
    auto const size = fs::file_size(path, error);
    return error ? std::nullopt : std::optional<std::uint64_t>(size);
}

Expected<StoredType> needed_type(fs::path const& path, KeyFileOptions const& options) {
    if (!options.key_type) {
        return input_error(
            path.string(), "does not state the type of its keys", "give " + setting("type"));
    }
    KEYSWAP_EXPECTS(!options.narrow_type ||
                    *options.key_type == widened_type(*options.narrow_type));
    return StoredType{*options.key_type, options.narrow_type, false, options.type_of};
}

using Opened = Expected<std::unique_ptr<KeyFileReader>>;

/// The file's size; nullopt if it differs from the size of the content (compressed).
std::optional<std::uint64_t> plain_size(fs::path const& path, OpenedKeyBytes const& opened) {
    return opened.as_stored ? size_of(path) : std::nullopt;
}

Opened open_raw(fs::path const& path, OpenedKeyBytes opened, StoredType const& type) {
    KEYSWAP_RETURN_IF_ERROR(expect_end(path, path.string()));
    auto const size_bytes = plain_size(path, opened);
    if (!size_bytes) {
        return std::make_unique<WordReader>(
            std::move(opened.bytes), path.string(), type, std::nullopt, std::nullopt);
    }
    if (*size_bytes % type.size_bytes() != 0) {
        return tl::unexpected(size_not_a_multiple(path.string(), *size_bytes, type));
    }
    return std::make_unique<WordReader>(
        std::move(opened.bytes), path.string(), type, *size_bytes / type.size_bytes(), 0);
}

bool is_whole(KeyType type) {
    return kind_of(type) != KeyKind::floating && key_bits(type) <= 64;
}

InputError other_type(std::string const& name,
                      StoredType const& found,
                      StoredType const& wanted,
                      KeyFileOptions const& options) {
    std::string const holds = "holds " + found.name() + " keys, and ";
    if (!options.type_of) {
        return {name,
                holds + setting("type") + " says " + wanted.name(),
                "leave " + setting("type") + " out, or convert the array"};
    }
    return {name,
            holds + *options.type_of + " are " + wanted.name(),
            "convert one of the arrays with a.astype()"};
}

Opened open_npy(fs::path const& path, OpenedKeyBytes opened, KeyFileOptions const& options) {
    std::string const name = path.string();
    KEYSWAP_TRY(auto const header, read_npy_header_text(*opened.bytes, name));
    KEYSWAP_TRY(auto const content, parse_npy_header(header, name));
    StoredType const type{content.key_type, content.narrow_type, content.big_endian};
    std::uint64_t const key_count = content.key_count;
    bool const is_index = options.are_indices && !type.narrow && is_whole(type.key_type) &&
                          key_size_bytes(type.key_type) <= sizeof(std::uint64_t);
    if (options.key_type && !is_index) {
        StoredType const wanted{*options.key_type, options.narrow_type};
        if (!wanted.reads_as(type)) {
            return tl::unexpected(other_type(name, type, wanted, options));
        }
    }
    std::uint64_t const expected_bytes = header.size() + key_count * type.size_bytes();
    auto const size_bytes = plain_size(path, opened);
    if (size_bytes && *size_bytes != expected_bytes) {
        return input_error(
            name,
            std::string(*size_bytes < expected_bytes ? "is cut off" : "is too long") + ": it has " +
                std::to_string(*size_bytes) + " bytes, and its header asks for " +
                std::to_string(expected_bytes),
            "save or copy the file again");
    }
    auto const offset_bytes =
        size_bytes ? std::optional<std::uint64_t>(header.size()) : std::nullopt;
    return std::make_unique<WordReader>(
        std::move(opened.bytes), name, type, key_count, offset_bytes);
}

} // namespace

void swap_key_bytes(KeyType type, std::span<std::byte> keys) {
    swap_words(keys, key_size_bytes(type));
}

Expected<std::string> read_npy_header_text(ByteSource& bytes, std::string const& name) {
    std::string text(npy_prefix_size, '\0');
    KEYSWAP_TRY(auto const start, read_fully(bytes, text));
    KEYSWAP_TRY(auto const size, npy_header_size(std::string_view(text).substr(0, start), name));
    if (size > text.size()) {
        text.resize(size);
        KEYSWAP_TRY(auto const rest, read_fully(bytes, std::span(text).subspan(npy_prefix_size)));
        text.resize(npy_prefix_size + rest);
    }
    return text;
}

Opened open_key_file(fs::path const& path, KeyFileOptions const& options) {
    KEYSWAP_TRY(auto opened, open_key_bytes(path, options.format));
    if (options.column && !options.column_optional && opened.format != KeyFileFormat::csv) {
        return input_error(
            path.string(),
            "is read as " + std::string(to_string(opened.format)) + ", which has no columns",
            "leave " + setting("column") + " out, or give " + setting("format", "csv"));
    }
    if (opened.format == KeyFileFormat::npy) {
        return open_npy(path, std::move(opened), options);
    }
    KEYSWAP_TRY(auto const type, needed_type(path, options));
    if (opened.format == KeyFileFormat::raw) {
        return open_raw(path, std::move(opened), type);
    }
    if (type.narrow && is_floating(type.key_type)) {
        return input_error(path.string(),
                           "holds decimal numbers, which are not " + type.name() +
                               " keys before they are rounded",
                           "save its keys as they were rounded, raw or as .npy");
    }
    KeyFileOptions csv = options;
    csv.key_type = type.key_type;
    csv.narrow_type = type.narrow;
    return make_csv_reader(std::move(opened.bytes), path.string(), std::move(csv));
}

} // namespace keyswap::model
