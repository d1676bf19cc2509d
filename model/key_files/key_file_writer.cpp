#include "model/key_files/key_file.hpp"

#include "model/key_files/file_content.hpp"
#include "model/key_files/opened_key_bytes.hpp"
#include "model/keys/key_text.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/atomic_file.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::size_t written_block_bytes = std::size_t{1} << 16; ///< few system calls, fits in L2

std::span<char const> chars_of(std::span<std::byte const> bytes) {
    return {reinterpret_cast<char const*>(bytes.data()), bytes.size()};
}

/// Writes keys in memory's byte order, or reversed if the file's differs.
Expected<void> write_words(AtomicFile& file, KeyType type, std::span<std::byte const> keys) {
    if (!is_big_endian_in_files(type)) {
        return file.write(chars_of(keys));
    }
    std::vector<std::byte> block;
    Expected<void> written;
    while (written && !keys.empty()) {
        auto const part = keys.first(std::min(keys.size(), written_block_bytes));
        block.assign(part.begin(), part.end());
        swap_key_bytes(type, block);
        written = file.write(chars_of(block));
        keys = keys.subspan(part.size());
    }
    return written;
}

class RawWriter final : public KeyFileWriter {
  public:
    RawWriter(AtomicFile file, KeyType type) : file_(std::move(file)), type_(type) {}

    Expected<void> write(std::span<std::byte const> keys) override {
        KEYSWAP_EXPECTS(keys.size() % key_size_bytes(type_) == 0);
        return write_words(file_, type_, keys);
    }
    Expected<void> finish() override { return file_.commit(); }

  private:
    AtomicFile file_;
    KeyType type_;
};

/// The count is known only at the end, so the header is written twice.
class NpyWriter final : public KeyFileWriter {
  public:
    NpyWriter(AtomicFile file, KeyType type) : file_(std::move(file)), header_{type, 0} {}

    Expected<void> write(std::span<std::byte const> keys) override {
        std::size_t const key_size = key_size_bytes(header_.key_type);
        KEYSWAP_EXPECTS(keys.size() % key_size == 0);
        auto started = start();
        header_.key_count += keys.size() / key_size;
        return started ? write_words(file_, header_.key_type, keys) : started;
    }
    Expected<void> finish() override {
        return start()
            .and_then([this] { return file_.write_at(0, npy_header_text(header_)); })
            .and_then([this] { return file_.commit(); });
    }

  private:
    Expected<void> start() {
        return std::exchange(started_, true) ? Expected<void>()
                                             : file_.write(npy_header_text(header_));
    }

    AtomicFile file_;
    NpyHeader header_;
    bool started_ = false;
};

class CsvWriter final : public KeyFileWriter {
  public:
    CsvWriter(AtomicFile file, KeyType type) : file_(std::move(file)), type_(type) {}

    Expected<void> write(std::span<std::byte const> keys) override {
        std::size_t const key_size = key_size_bytes(type_);
        KEYSWAP_EXPECTS(keys.size() % key_size == 0);
        for (std::size_t at = 0; at < keys.size(); at += key_size) {
            append_key(text_, type_, keys.subspan(at, key_size));
            text_ += '\n';
            if (text_.size() >= written_block_bytes) {
                KEYSWAP_RETURN_IF_ERROR(flush());
            }
        }
        return {};
    }
    Expected<void> finish() override {
        return flush().and_then([this] { return file_.commit(); });
    }

  private:
    Expected<void> flush() {
        auto written = file_.write(text_);
        text_.clear();
        return written;
    }

    AtomicFile file_;
    KeyType type_;
    std::string text_;
};

} // namespace

Expected<KeyFileFormat> format_to_write(std::filesystem::path const& path,
                                        std::optional<KeyFileFormat> given) {
    KEYSWAP_RETURN_IF_ERROR(refuse_compressed_name(path));
    auto const unsupported = unsupported_extension(lower_ending(path), FileContent::keys);
    if (unsupported && !given) {
        return input_error(path.string(),
                           "has the extension of " + unsupported->name +
                               " files, which cannot be written",
                           "choose a name that ends in .npy, .csv or .raw");
    }
    return given.value_or(format_of_name(path));
}

Expected<std::unique_ptr<KeyFileWriter>> create_key_file(std::filesystem::path const& path,
                                                         std::optional<KeyFileFormat> format,
                                                         KeyType key_type) {
    KEYSWAP_TRY(auto const written, format_to_write(path, format));
    KEYSWAP_TRY(auto file, AtomicFile::create(path));
    switch (written) {
    case KeyFileFormat::raw:
        return std::make_unique<RawWriter>(std::move(file), key_type);
    case KeyFileFormat::npy:
        if (!file.seekable()) {
            return input_error(path.string(),
                               "is not a regular file, and .npy needs one for its count",
                               "choose the format raw or csv");
        }
        if (traits_of(key_type).numpy.empty()) {
            return input_error(path.string(),
                               "would hold " + std::string(to_string(key_type)) +
                                   " keys, for which .npy has no type",
                               "choose the format raw or csv");
        }
        return std::make_unique<NpyWriter>(std::move(file), key_type);
    case KeyFileFormat::csv:
        break;
    }
    return std::make_unique<CsvWriter>(std::move(file), key_type);
}

} // namespace keyswap::model
