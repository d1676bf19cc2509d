#include "model/external/record_stream.hpp"

#include "model/key_files/key_file.hpp"
#include "model/key_files/key_file_format.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"
#include "traces/format/open_bytes.hpp"
#include "traces/format/pipe_copy.hpp"

#include <string>
#include <system_error>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::size_t peeked_bytes = 4096; ///< enough to detect the compression

class KeyStream final : public RecordStream {
  public:
    explicit KeyStream(std::unique_ptr<KeyFileReader> reader) : reader_(std::move(reader)) {}

    Expected<std::size_t> read(std::span<std::byte> block) override {
        KeyType const type = reader_->key_type();
        KEYSWAP_TRY(std::size_t const count, reader_->read(block));
        if (is_big_endian_in_files(type)) {
            swap_key_bytes(type, block.first(count * key_size_bytes(type)));
        }
        return count;
    }

  private:
    std::unique_ptr<KeyFileReader> reader_;
};

class ByteRecords final : public RecordStream {
  public:
    ByteRecords(std::unique_ptr<ByteSource> bytes, std::string name, std::uint32_t record_bytes)
        : bytes_(std::move(bytes)), name_(std::move(name)), record_bytes_(record_bytes) {}

    Expected<std::size_t> read(std::span<std::byte> block) override {
        std::size_t const wanted = block.size() / record_bytes_ * record_bytes_;
        KEYSWAP_TRY(std::size_t const filled,
                    read_fully(*bytes_, {reinterpret_cast<char*>(block.data()), wanted}));
        done_bytes_ += filled;
        if (filled % record_bytes_ != 0) {
            return tl::unexpected(
                InputError{name_,
                           "has " + grouped_count(done_bytes_) +
                               " bytes, which is not a multiple of the record size, " +
                               std::to_string(record_bytes_),
                           "give the size of its records"});
        }
        return filled / record_bytes_;
    }

  private:
    std::unique_ptr<ByteSource> bytes_;
    std::string name_;
    std::uint32_t record_bytes_;
    std::uint64_t done_bytes_ = 0;
};

/// The file's raw bytes, with enough of them peeked to detect the compression.
Expected<PeekedBytes> peeked_file(std::filesystem::path const& path) {
    KEYSWAP_RETURN_IF_ERROR(expect_end(path, path.string()));
    KEYSWAP_TRY(auto raw, open_raw_bytes(path));
    return peek_bytes(std::move(raw), peeked_bytes);
}

} // namespace

std::unique_ptr<RecordStream> stream_of_keys(std::unique_ptr<KeyFileReader> reader) {
    return std::make_unique<KeyStream>(std::move(reader));
}

Expected<std::unique_ptr<RecordStream>> open_record_stream(std::filesystem::path const& path,
                                                           RecordLayout const& layout) {
    KEYSWAP_TRY(auto peeked, peeked_file(path));
    Compression const named = compression_of_name(path);
    if (named != Compression::none &&
        compression_of(peeked.beginning, named) == Compression::none) {
        return input_error(path.string(),
                           "is not compressed, though its name says so",
                           "copy it again, or give it a name without that ending");
    }
    KEYSWAP_TRY(auto bytes, decompressed(std::move(peeked.all), path.string()));
    return std::make_unique<ByteRecords>(std::move(bytes), path.string(), layout.record_bytes);
}

Expected<bool> needs_record_stream(std::filesystem::path const& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) ||
        compression_of_name(path) != Compression::none) {
        return true;
    }
    KEYSWAP_TRY(auto const peeked, peeked_file(path));
    return compression_of(peeked.beginning) != Compression::none;
}

} // namespace keyswap::model
