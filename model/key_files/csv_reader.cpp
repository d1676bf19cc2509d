#include "model/key_files/csv_reader.hpp"

#include "model/key_files/csv_column.hpp"
#include "model/keys/key_text.hpp"
#include "model/keys/wrong_key.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/byte_order_mark.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::size_t text_block_bytes = std::size_t{1} << 16; ///< few system calls, fits in L2
constexpr std::size_t row_bytes_max = 4096; ///< the longest finite double has about 1,100 digits
constexpr std::size_t wide_row_bytes_max = std::size_t{1} << 20; ///< limit for rows of many columns

/// Reads one key per row.
class CsvReader final : public KeyFileReader {
  public:
    CsvReader(std::unique_ptr<ByteSource> bytes, std::string name, KeyFileOptions options)
        : bytes_(std::move(bytes)), name_(std::move(name)), type_(*options.key_type),
          narrow_(options.narrow_type), options_(std::move(options)) {}

    KeyType key_type() const override { return type_; }
    std::optional<NarrowType> narrow_type() const override { return narrow_; }
    std::optional<std::uint64_t> key_count() const override { return std::nullopt; }

    Expected<std::size_t> read(std::span<std::byte> block) override {
        std::size_t const key_size = key_size_bytes(type_);
        KEYSWAP_EXPECTS(block.size() >= key_size);
        std::size_t key_count = 0;
        while ((key_count + 1) * key_size <= block.size()) {
            KEYSWAP_TRY(auto const row, next_key_row());
            if (!row) {
                if (header_ && !has_keys_ && !options_.is_part) {
                    return input_error(name_,
                                       "has no keys below its header '" + *header_ + "'",
                                       "check that the file is complete");
                }
                break;
            }
            auto const cell = cell_of(*row);
            if (!cell) {
                return in_row(*row, cell.error());
            }
            if (row_ == 1) {
                auto header = header_in(*cell);
                if (!header) {
                    return in_row(*row, header.error());
                }
                header_ = std::move(*header);
                if (header_) {
                    continue;
                }
            }
            auto const key = block.subspan(key_count * key_size, key_size);
            auto parsed = parse_key(*cell, type_, key);
            if (!parsed) {
                bool const has_comma = cell->find(',') != std::string_view::npos;
                InputError const& error = has_comma && is_cell_
                                              ? wrong_key(*cell, type_, KeyExtent::cell)
                                              : parsed.error();
                auto const none = describe_non_key(*row);
                return none ? at_row(*none) : at_key(error);
            }
            if (auto beyond = check_narrow_range(*cell, key)) {
                return at_key(*beyond);
            }
            ++key_count;
            has_keys_ = true;
        }
        return key_count;
    }
    std::optional<std::string> header() const override { return header_; }
    std::size_t other_columns() const override { return column_ ? column_->count() - 1 : 0; }

  private:
    tl::unexpected<InputError> at_row(InputError const& error) const {
        return input_error(name_ + ", row " + std::to_string(row_), error.problem, error.remedy);
    }

    std::optional<InputError> describe_non_key(std::string_view row) const {
        return describe_non_row(
            row, row_ == 1 ? std::nullopt : std::optional<std::string_view>(first_row_));
    }

    tl::unexpected<InputError> in_row(std::string_view row, InputError const& error) const {
        return at_row(describe_non_key(row).value_or(error));
    }

    /// Adds the origin of the key type to the error about a cell that is not a key.
    tl::unexpected<InputError> at_key(InputError error) const {
        if (options_.type_of) {
            error.problem += " (" + std::string(stored_type_name(type_, narrow_)) +
                             " is the type of " + *options_.type_of + ")";
            if (error.remedy.find(setting("type")) != std::string::npos) {
                error.remedy = "write it as a key of that type, or convert the other file";
            }
        }
        return at_row(error);
    }

    /// An error if the key is out of the narrow type's range; nullopt if it fits.
    std::optional<InputError> check_narrow_range(std::string_view cell,
                                                 std::span<std::byte const> key) const {
        auto const range = narrow_ ? whole_range(*narrow_) : std::nullopt;
        if (!range) {
            return std::nullopt;
        }
        std::uint32_t word = 0;
        std::memcpy(&word, key.data(), sizeof(word));
        std::int64_t const number = kind_of(type_) == KeyKind::signed_integer
                                        ? std::int64_t{static_cast<std::int32_t>(word)}
                                        : word;
        if (number >= range->least && number <= range->most) {
            return std::nullopt;
        }
        return InputError{"",
                          "'" + std::string(cell) + "' is out of the range of " +
                              std::string(to_string(*narrow_)) + " (" +
                              std::to_string(range->least) + " to " + std::to_string(range->most) +
                              ")",
                          "choose a wider " + setting("type")};
    }

    /// The text of the row's key: the whole row, or its cell in the requested column.
    Expected<std::string_view> cell_of(std::string_view row) {
        if (!options_.column) {
            bool const quoted = row.find('"') != std::string_view::npos;
            if (auto lone = quoted ? only_cell(row) : std::nullopt) {
                is_cell_ = true;
                cell_ = std::move(*lone);
                return cell_;
            }
            is_cell_ = false;
            return row;
        }
        is_cell_ = true;
        if (!column_) {
            KEYSWAP_TRY(auto found,
                        CsvColumn::find(row,
                                        *options_.column,
                                        options_.column_optional
                                            ? CsvColumn::Need::ignored_if_single
                                            : CsvColumn::Need::always));
            column_ = found;
        }
        return column_->cell(row).map([this](std::string cell) {
            cell_ = std::move(cell);
            return std::string_view(cell_);
        });
    }

    /// The header, if the first row's cell is one; nullopt if it is a key.
    Expected<std::optional<std::string>> header_in(std::string_view cell) const {
        bool const is_named = column_ && column_->is_named();
        if (column_ && !is_named && cell.empty() && column_->count() > 1) {
            return input_error(
                "",
                "has an empty cell in that column, which is neither a key nor a column name",
                "name the column in the first row, or fill the cell in");
        }
        return is_named ? std::optional(std::string(cell)) : header_of(cell, type_);
    }

    /// The next row that is not blank, without its line end; nullopt at the end of the file. Blank
    /// rows are skipped only at the end; elsewhere they are missing values, hence errors. The view
    /// is valid until the next call.
    Expected<std::optional<std::string_view>> next_key_row() {
        std::uint64_t first_blank = 0;
        while (true) {
            auto const row = next_row();
            if (!row || !*row) {
                return row;
            }
            std::size_t const last = (*row)->find_last_not_of('\r');
            std::string_view const text = (*row)->substr(0, last + 1); // npos + 1 is 0
            if (row_ == 1 && text.find('\r') != std::string_view::npos) {
                return at_row(wrong_key(text, type_));
            }
            if (row_ == 1) {
                first_row_ = text;
            }
            constexpr std::string_view blanks = " \t\v\f\x1a"; // \x1a ends text files of DOS
            // A row of tabulators that separate cells has a key that is missing.
            bool const has_cells = column_ && column_->separator() == '\t' &&
                                   text.find('\t') != std::string_view::npos;
            bool const blank =
                !has_cells && text.find_first_not_of(blanks) == std::string_view::npos;
            if (!blank && first_blank > 0) {
                row_ = first_blank;
                return at_row(wrong_key("", type_));
            }
            if (!blank) {
                return text;
            }
            first_blank = first_blank == 0 ? row_ : first_blank;
        }
    }

    /// The next row; nullopt at the end. The view is valid until the next call.
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
            std::string_view const begun = std::string_view(buffer_).substr(position_);
            if (begun.size() > (options_.column ? wide_row_bytes_max : row_bytes_max)) {
                bool const has_cr = begun.find('\r') != std::string_view::npos;
                std::string const than = options_.column ? "1 MiB" : "any number";
                return at_row(
                    has_cr
                        ? wrong_key(begun, type_)
                        : InputError{"", "is longer than " + than, "check that the file is CSV"});
            }
            KEYSWAP_RETURN_IF_ERROR(fill());
        }
    }

    Expected<void> fill() {
        buffer_.erase(0, std::exchange(position_, 0));
        std::size_t const kept = buffer_.size();
        buffer_.resize(kept + text_block_bytes);
        auto const count = bytes_->read(std::span(buffer_).subspan(kept));
        buffer_.resize(kept + count.value_or(0));
        KEYSWAP_RETURN_IF_ERROR(count);
        at_end_ = *count == 0;
        if (row_ == 1 && kept == 0) {
            position_ = buffer_.size() - without_byte_order_mark(buffer_).size();
        }
        return {};
    }

    std::unique_ptr<ByteSource> bytes_;
    std::string name_;
    KeyType type_;
    std::optional<NarrowType> narrow_;
    KeyFileOptions options_;
    std::optional<CsvColumn> column_; ///< set after the first row
    std::string cell_;
    bool is_cell_ = false; ///< the last key text is certainly a single cell
    std::string buffer_;
    std::size_t position_ = 0;
    std::uint64_t row_ = 0; ///< 1-based number of the current row
    std::string first_row_;
    std::optional<std::string> header_;
    bool has_keys_ = false;
    bool at_end_ = false;
};

} // namespace

std::unique_ptr<KeyFileReader>
make_csv_reader(std::unique_ptr<ByteSource> bytes, std::string name, KeyFileOptions options) {
    return std::make_unique<CsvReader>(std::move(bytes), std::move(name), std::move(options));
}

} // namespace keyswap::model
