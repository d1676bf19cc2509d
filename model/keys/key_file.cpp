#include "model/keys/key_file.hpp"

#include "model/keys/csv_column.hpp"
#include "model/keys/key_text.hpp"
#include "model/keys/npy_header.hpp"
#include "model/keys/opened_key_bytes.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/format/byte_source.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

namespace keyswap::model {

static_assert(std::endian::native == std::endian::little, "files are read as memory holds them");

namespace {

namespace fs = std::filesystem;

constexpr std::size_t text_block_bytes = std::size_t{1} << 16; ///< few system calls, fits in L2
constexpr std::size_t row_bytes_max = 4096; ///< the longest finite double has about 1,100 digits
constexpr std::size_t wide_row_bytes_max = std::size_t{1} << 20; ///< of rows of many columns

/// Reads until the block is full or the file ends.
Expected<std::size_t> read_fully(ByteSource& bytes, std::span<char> block) {
    std::size_t filled = 0;
    while (filled < block.size()) {
        auto const count = bytes.read(block.subspan(filled));
        if (!count) {
            return count;
        }
        if (*count == 0) {
            break;
        }
        filled += *count;
    }
    return filled;
}

/// What a file's keys are, and what they are read as.
struct StoredType {
    KeyType key_type = KeyType::u32;
    std::optional<NarrowType> narrow;

    [[nodiscard]] std::size_t size_bytes() const {
        return narrow ? narrow_size_bytes(*narrow) : key_size_bytes(key_type);
    }
    [[nodiscard]] std::string name() const {
        return std::string(stored_type_name(key_type, narrow));
    }
    friend bool operator==(StoredType const&, StoredType const&) = default;
};

InputError no_multiple(std::string const& name, std::uint64_t size_bytes, StoredType const& type) {
    return {name,
            "has " + std::to_string(size_bytes) + " bytes, which is not a multiple of the " +
                std::to_string(type.size_bytes()) + " bytes of a " + type.name() + " key",
            "check --type, and that the file is complete"};
}

/// Words as they lie in memory, or narrower ones, from the bytes' place to their end.
class WordReader final : public KeyFileReader {
  public:
    WordReader(std::unique_ptr<ByteSource> bytes,
               std::string name,
               StoredType type,
               std::optional<std::uint64_t> key_count,
               std::optional<std::uint64_t> offset_bytes)
        : bytes_(std::move(bytes)), name_(std::move(name)), type_(type), key_count_(key_count),
          offset_bytes_(offset_bytes) {}

    KeyType key_type() const override { return type_.key_type; }
    std::optional<NarrowType> narrow_type() const override { return type_.narrow; }
    std::optional<std::uint64_t> key_count() const override { return key_count_; }
    std::optional<std::uint64_t> file_offset_bytes() const override {
        return type_.narrow ? std::nullopt : offset_bytes_;
    }

    Expected<std::size_t> read(std::span<std::byte> block) override {
        std::size_t const wide_size = key_size_bytes(type_.key_type);
        std::size_t const key_size = type_.size_bytes();
        KEYSWAP_EXPECTS(block.size() >= wide_size);
        // Narrow keys come to the end of the place of wide ones, which grow towards them.
        std::size_t const fitting = block.size() / wide_size;
        auto const stored = block.subspan(fitting * (wide_size - key_size), fitting * key_size);
        std::span<char> const whole_keys(reinterpret_cast<char*>(stored.data()), stored.size());
        auto const size = read_fully(*bytes_, whole_keys);
        if (!size) {
            return size;
        }
        done_bytes_ += *size;
        if (*size % key_size != 0) {
            return tl::unexpected(no_multiple(name_, done_bytes_, type_));
        }
        if (is_big_endian_in_files(type_.key_type)) {
            swap_key_bytes(type_.key_type, block.first(*size));
        }
        if (type_.narrow) {
            widen(*type_.narrow, stored.first(*size), block);
        }
        std::uint64_t const done_keys = done_bytes_ / key_size;
        bool const at_end = *size < whole_keys.size();
        if (key_count_ && (done_keys > *key_count_ || (at_end && done_keys < *key_count_))) {
            return tl::unexpected(not_as_announced());
        }
        return *size / key_size;
    }

  private:
    /// A file's size was compared when it was opened; a stream's shows at its end.
    InputError not_as_announced() const {
        if (offset_bytes_) {
            return {name_, "has changed while it was read", "run again when nothing writes to it"};
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
    std::optional<std::uint64_t> offset_bytes_; ///< in a file that can be read at any place
    std::uint64_t done_bytes_ = 0;
};

/// One key a line.
class CsvReader final : public KeyFileReader {
  public:
    CsvReader(std::unique_ptr<ByteSource> bytes,
              std::string name,
              StoredType type,
              std::optional<std::string> column)
        : bytes_(std::move(bytes)), name_(std::move(name)), type_(type.key_type),
          narrow_(type.narrow), wanted_column_(std::move(column)) {}

    KeyType key_type() const override { return type_; }
    std::optional<NarrowType> narrow_type() const override { return narrow_; }
    std::optional<std::uint64_t> key_count() const override { return std::nullopt; }

    Expected<std::size_t> read(std::span<std::byte> block) override {
        std::size_t const key_size = key_size_bytes(type_);
        KEYSWAP_EXPECTS(block.size() >= key_size);
        std::size_t key_count = 0;
        while ((key_count + 1) * key_size <= block.size()) {
            auto const row = next_row();
            if (!row) {
                return tl::unexpected(row.error());
            }
            if (!*row) {
                if (heading_ && !has_keys_) {
                    return tl::unexpected(
                        InputError{name_,
                                   "has no key under its heading '" + *heading_ + "'",
                                   "check that the file is complete, and that rows end in \\n"});
                }
                break;
            }
            auto const cell = cell_of(**row);
            if (!cell) {
                return tl::unexpected(at_row(cell.error()));
            }
            if (row_ == 1) {
                auto heading = heading_in(*cell);
                if (!heading) {
                    return tl::unexpected(at_row(heading.error()));
                }
                heading_ = std::move(*heading);
                if (heading_) {
                    continue;
                }
            }
            auto const key = block.subspan(key_count * key_size, key_size);
            auto parsed = parse_key(*cell, type_, key);
            if (!parsed) {
                return tl::unexpected(at_row(parsed.error()));
            }
            if (auto beyond = beyond_narrow(*cell, key)) {
                return tl::unexpected(at_row(*beyond));
            }
            ++key_count;
            has_keys_ = true;
        }
        return key_count;
    }
    std::optional<std::string> heading() const override { return heading_; }

  private:
    InputError at_row(InputError const& error) const {
        return {name_ + ", row " + std::to_string(row_), error.problem, error.remedy};
    }

    /// Says that a key is none of the narrow type that the file is to hold.
    std::optional<InputError> beyond_narrow(std::string_view cell,
                                            std::span<std::byte const> key) const {
        auto const range = narrow_ ? whole_range(*narrow_) : std::nullopt;
        if (!range) {
            return std::nullopt;
        }
        std::uint32_t word = 0;
        std::memcpy(&word, key.data(), sizeof(word));
        std::int64_t const number =
            type_ == KeyType::i32 ? std::int64_t{static_cast<std::int32_t>(word)} : word;
        if (number >= range->least && number <= range->most) {
            return std::nullopt;
        }
        return InputError{"",
                          "'" + std::string(cell) + "' is out of the range of " +
                              std::string(to_string(*narrow_)) + " (" +
                              std::to_string(range->least) + " to " + std::to_string(range->most) +
                              ")",
                          "choose a wider --type"};
    }

    /// The row's key as text: all of it, or its cell in the column that is wanted.
    Expected<std::string_view> cell_of(std::string_view row) {
        if (!wanted_column_) {
            return row;
        }
        if (!column_) {
            auto found = CsvColumn::find(row, *wanted_column_);
            if (!found) {
                return tl::unexpected(found.error());
            }
            column_ = *found;
        }
        return column_->cell(row).map([this](std::string cell) {
            cell_ = std::move(cell);
            return std::string_view(cell_);
        });
    }

    /// The heading that the first row's cell is, if it is one.
    Expected<std::optional<std::string>> heading_in(std::string_view cell) const {
        bool const is_named = column_ && column_->is_named();
        return is_named ? std::optional(std::string(cell)) : heading_of(cell, type_);
    }

    /// The next row; nothing at the end, before which empty rows are passed over. The view is valid
    /// until the next call.
    Expected<std::optional<std::string_view>> next_row() {
        ++row_;
        while (true) {
            std::size_t const end = buffer_.find('\n', position_);
            if (end != std::string::npos || (at_end_ && position_ < buffer_.size())) {
                std::size_t const stop = std::min(end, buffer_.size());
                std::string_view const row =
                    std::string_view(buffer_).substr(position_, stop - position_);
                position_ = std::min(stop + 1, buffer_.size());
                return row;
            }
            if (at_end_) {
                return std::nullopt;
            }
            if (buffer_.size() - position_ >
                (wanted_column_ ? wide_row_bytes_max : row_bytes_max)) {
                std::string const than = wanted_column_ ? "1 MiB" : "any number";
                return tl::unexpected(
                    at_row({"", "is longer than " + than, "check that the file is CSV"}));
            }
            if (auto filled = fill(); !filled) {
                return tl::unexpected(filled.error());
            }
        }
    }

    Expected<void> fill() {
        buffer_.erase(0, std::exchange(position_, 0));
        std::size_t const kept = buffer_.size();
        buffer_.resize(kept + text_block_bytes);
        auto const count = bytes_->read(std::span(buffer_).subspan(kept));
        buffer_.resize(kept + count.value_or(0));
        if (!count) {
            return tl::unexpected(count.error());
        }
        at_end_ = *count == 0;
        constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
        if (row_ == 1 && kept == 0 && buffer_.starts_with(byte_order_mark)) {
            position_ = byte_order_mark.size();
        }
        return {};
    }

    std::unique_ptr<ByteSource> bytes_;
    std::string name_;
    KeyType type_;
    std::optional<NarrowType> narrow_;
    std::optional<std::string> wanted_column_;
    std::optional<CsvColumn> column_; ///< known from the first row on
    std::string cell_;
    std::string buffer_;
    std::size_t position_ = 0;
    std::uint64_t row_ = 0; ///< 1-based number of the row that was read last
    std::optional<std::string> heading_;
    bool has_keys_ = false;
    bool at_end_ = false;
};

/// Nothing for pipes and devices.
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
        return tl::unexpected(
            InputError{path.string(), "does not say what type its keys are", "give --type"});
    }
    KEYSWAP_EXPECTS(!options.narrow_type ||
                    *options.key_type == widened_type(*options.narrow_type));
    return StoredType{*options.key_type, options.narrow_type};
}

using Opened = Expected<std::unique_ptr<KeyFileReader>>;

/// The file's size, where it is that of the bytes that are read.
std::optional<std::uint64_t> plain_size(fs::path const& path, OpenedKeyBytes const& opened) {
    return opened.as_stored ? size_of(path) : std::nullopt;
}

Opened open_raw(fs::path const& path, OpenedKeyBytes opened, StoredType const& type) {
    auto const size_bytes = plain_size(path, opened);
    if (!size_bytes) {
        return std::make_unique<WordReader>(
            std::move(opened.bytes), path.string(), type, std::nullopt, std::nullopt);
    }
    if (*size_bytes % type.size_bytes() != 0) {
        return tl::unexpected(no_multiple(path.string(), *size_bytes, type));
    }
    return std::make_unique<WordReader>(
        std::move(opened.bytes), path.string(), type, *size_bytes / type.size_bytes(), 0);
}

Opened open_npy(fs::path const& path, OpenedKeyBytes opened, KeyFileOptions const& options) {
    std::string const name = path.string();
    auto const header = read_npy_header(*opened.bytes, name);
    if (!header) {
        return tl::unexpected(header.error());
    }
    StoredType const type{header->content.key_type, header->content.narrow_type};
    std::uint64_t const key_count = header->content.key_count;
    if (options.key_type) {
        StoredType const wanted{*options.key_type, options.narrow_type};
        if (wanted != type) {
            return tl::unexpected(
                InputError{name,
                           "holds " + type.name() + " keys, and --type says " + wanted.name(),
                           "leave --type out, or convert the array"});
        }
    }
    std::uint64_t const expected_bytes = header->size_bytes + key_count * type.size_bytes();
    auto const size_bytes = plain_size(path, opened);
    if (size_bytes && *size_bytes != expected_bytes) {
        return tl::unexpected(
            InputError{name,
                       std::string(*size_bytes < expected_bytes ? "is cut off" : "is too long") +
                           ": it has " + std::to_string(*size_bytes) +
                           " bytes, and its header asks for " + std::to_string(expected_bytes),
                       "save or copy the file again"});
    }
    auto const offset_bytes = size_bytes ? std::optional(header->size_bytes) : std::nullopt;
    return std::make_unique<WordReader>(
        std::move(opened.bytes), name, type, key_count, offset_bytes);
}

} // namespace

std::string_view stored_type_name(KeyType type, std::optional<NarrowType> narrow) {
    return narrow ? to_string(*narrow) : to_string(type);
}

void swap_key_bytes(KeyType type, std::span<std::byte> keys) {
    std::size_t const key_size = key_size_bytes(type);
    KEYSWAP_EXPECTS(keys.size() % key_size == 0);
    for (; !keys.empty(); keys = keys.subspan(key_size)) {
        std::ranges::reverse(keys.first(key_size));
    }
}

std::string_view to_string(KeyFileFormat format) {
    switch (format) {
    case KeyFileFormat::raw:
        return "raw";
    case KeyFileFormat::npy:
        return "npy";
    case KeyFileFormat::csv:
        return "csv";
    }
    return "";
}

Expected<std::optional<KeyFileFormat>> parse_key_file_format(std::string_view text) {
    if (text == "auto") {
        return std::nullopt;
    }
    for (KeyFileFormat const format :
         {KeyFileFormat::raw, KeyFileFormat::npy, KeyFileFormat::csv}) {
        if (to_string(format) == text) {
            return format;
        }
    }
    return tl::unexpected(InputError{
        "format", "'" + std::string(text) + "' is not known", "known: auto, raw, npy, csv"});
}

KeyFileFormat format_of_name(fs::path const& path) {
    std::string ending = uncompressed_name(path).extension().string();
    for (char& letter : ending) { // ".NPY" is the same format
        letter = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    if (ending == ".npy") {
        return KeyFileFormat::npy;
    }
    return ending == ".csv" || ending == ".txt" ? KeyFileFormat::csv : KeyFileFormat::raw;
}

Expected<std::string> read_npy_header_text(ByteSource& bytes, std::string const& name) {
    std::string text(npy_prefix_size, '\0');
    auto const start = read_fully(bytes, text);
    if (!start) {
        return tl::unexpected(start.error());
    }
    auto const size = npy_header_size(std::string_view(text).substr(0, *start), name);
    if (!size) {
        return tl::unexpected(size.error());
    }
    if (*size > text.size()) {
        text.resize(*size);
        auto const rest = read_fully(bytes, std::span(text).subspan(npy_prefix_size));
        if (!rest) {
            return tl::unexpected(rest.error());
        }
        text.resize(npy_prefix_size + *rest);
    }
    return text;
}

Expected<NpyFileHeader> read_npy_header(ByteSource& bytes, std::string const& name) {
    auto const text = read_npy_header_text(bytes, name);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return parse_npy_header(*text, name).map([&](NpyHeader const& content) {
        return NpyFileHeader{content, text->size()};
    });
}

Opened open_key_file(fs::path const& path, KeyFileOptions const& options) {
    auto opened = open_key_bytes(path, options.format);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    if (options.column && opened->format != KeyFileFormat::csv) {
        return tl::unexpected(InputError{path.string(),
                                         "is read as " + std::string(to_string(opened->format)) +
                                             ", which has no columns",
                                         "leave --column out, or give --format csv"});
    }
    if (opened->format == KeyFileFormat::npy) {
        return open_npy(path, std::move(*opened), options);
    }
    auto const type = needed_type(path, options);
    if (!type) {
        return tl::unexpected(type.error());
    }
    if (opened->format == KeyFileFormat::raw) {
        return open_raw(path, std::move(*opened), *type);
    }
    if (type->narrow && type->key_type == KeyType::f32) {
        return tl::unexpected(InputError{path.string(),
                                         "holds decimal numbers, which are not " + type->name() +
                                             " keys before they are rounded",
                                         "save its keys as they were rounded, raw or as .npy"});
    }
    return std::make_unique<CsvReader>(
        std::move(opened->bytes), path.string(), *type, options.column);
}

std::unique_ptr<KeyFileReader> read_csv_keys(std::unique_ptr<ByteSource> bytes,
                                             std::string name,
                                             KeyType key_type,
                                             std::optional<std::string> column) {
    return std::make_unique<CsvReader>(
        std::move(bytes), std::move(name), StoredType{key_type, std::nullopt}, std::move(column));
}

} // namespace keyswap::model
