#include "model/verify/record_input.hpp"

#include "model/external/record_stream.hpp"
#include "model/keys/key_file.hpp"
#include "model/verify/input_keys.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <vector>

namespace keyswap::model::verify {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t block_bytes = std::size_t{1} << 20;

/// Whether records are keys of a type, which a reader of key files takes.
bool are_keys(RunHeader const& header, model::RecordLayout const& layout) {
    return layout == model::layout_of_keys(header.key_type, header.direction);
}

class RecordFile final : public model::RecordSource {
  public:
    RecordFile(RunHeader const& header, model::RecordLayout const& layout)
        : header_(header), layout_(layout), written_(written()) {}

    [[nodiscard]] Expected<void> sweep(Take const& take) override {
        KEYSWAP_TRY(auto const reader, open());
        std::size_t const size = layout_.record_bytes;
        std::vector<std::byte> block(std::max(block_bytes / size, std::size_t{1}) * size);
        std::uint64_t count = 0;
        while (true) {
            KEYSWAP_TRY(std::size_t const read, reader->read(block));
            auto const records = std::span(block).first(read * size);
            if (read == 0) {
                break;
            }
            count += read;
            if (count > header_.key_count) {
                break;
            }
            take(records);
        }
        if (written() != written_) {
            return tl::unexpected(InputError{header_.input.file,
                                             "changed while it was read",
                                             "verify again when nobody writes it"});
        }
        if (count != header_.key_count) {
            return tl::unexpected(another_count(
                header_,
                count < header_.key_count ? std::to_string(count)
                                          : "more than " + std::to_string(header_.key_count)));
        }
        return {};
    }

  private:
    [[nodiscard]] Expected<std::unique_ptr<model::RecordStream>> open() const {
        if (are_keys(header_, layout_)) {
            return open_input(header_.input.file, header_).map(model::stream_of_keys);
        }
        return model::open_record_stream(header_.input.file, layout_);
    }
    [[nodiscard]] fs::file_time_type written() const {
        std::error_code error;
        return fs::last_write_time(header_.input.file, error);
    }

    RunHeader header_;
    model::RecordLayout layout_;
    fs::file_time_type written_;
};

} // namespace

Expected<RecordLookup> find_records(RunHeader const& header,
                                    model::RecordLayout const& layout,
                                    VerifyLimits const& limits) {
    std::error_code error;
    if (limits.records_only) {
        return RecordLookup{nullptr, "--records-only compares the records with each other alone"};
    }
    if (header.input.distribution != "file") {
        return RecordLookup{nullptr, "the trace does not name the file that was sorted"};
    }
    if (!fs::is_regular_file(header.input.file, error)) {
        return RecordLookup{nullptr, "the file of keys " + header.input.file + " is not there"};
    }
    auto file = std::make_unique<RecordFile>(header, layout);
    if (!are_keys(header, layout)) {
        std::uint64_t const size = fs::file_size(header.input.file, error);
        std::uint64_t const count = size / layout.record_bytes;
        KEYSWAP_TRY(bool const is_stream, model::needs_record_stream(header.input.file));
        bool const other_size = size % layout.record_bytes != 0 || count != header.key_count;
        if (!is_stream && !error && other_size) {
            return tl::unexpected(another_count(header, std::to_string(count)));
        }
    } else {
        KEYSWAP_TRY(auto const reader, open_input(header.input.file, header));
        if (reader->key_count().value_or(header.key_count) != header.key_count) {
            return tl::unexpected(another_count(header, std::to_string(*reader->key_count())));
        }
    }
    return RecordLookup{std::move(file), {}};
}

} // namespace keyswap::model::verify
