#include "model/verify/expected/input_keys.hpp"

#include "model/distributions/key_generator.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/key_files/key_file.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/materialized_source.hpp"
#include "model/ranks/rank_files.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace keyswap::model::verify {

InputError key_count_mismatch(RunHeader const& header, std::string const& count) {
    return {header.input.file,
            "has " + count + " keys, and the trace is of " + std::to_string(header.key_count),
            "restore the name of the file that was sorted"};
}

Expected<std::unique_ptr<KeyFileReader>> open_input(std::string const& path,
                                                    RunHeader const& header) {
    KeyFileOptions options;
    KEYSWAP_TRY(options.format, parse_key_file_format(header.input.format.value_or("auto")));
    options.column = header.input.column;
    options.is_part = !header.input.more_files.empty();
    if (options.format.value_or(format_of_name(path)) != KeyFileFormat::npy) {
        options.key_type = header.key_type;
    }
    auto reader = open_key_file(path, options);
    if (reader && (*reader)->key_type() != header.key_type) {
        return input_error(path,
                           "holds " + std::string(to_string((*reader)->key_type())) +
                               " keys, and the trace is of " +
                               std::string(to_string(header.key_type)),
                           "restore the name of the file that was sorted");
    }
    return reader;
}

namespace {

using KeyLookup = InputLookup<InputKeys>;

/// Keys held in memory.
template <class Image>
class KeptKeys final : public InputKeys {
  public:
    explicit KeptKeys(std::vector<Image> images)
        : images_(std::move(images)), source_(std::span<Image const>(images_)) {}
    // Not copyable: the source refers to the vector's memory.
    KeptKeys(KeptKeys const&) = delete;
    KeptKeys& operator=(KeptKeys const&) = delete;

    [[nodiscard]] std::uint64_t key_count() const override { return images_.size(); }
    [[nodiscard]] KeySource& source() override { return source_; }
    void images(std::uint64_t begin, std::span<std::uint64_t> out) const override {
        if constexpr (sizeof(Image) <= sizeof(std::uint64_t)) {
            copy(begin, out);
        } else {
            KEYSWAP_EXPECTS(sizeof(Image) <= sizeof(std::uint64_t));
        }
    }
    void images(std::uint64_t begin, std::span<uint128> out) const override { copy(begin, out); }

  private:
    template <class Word>
    void copy(std::uint64_t begin, std::span<Word> out) const {
        KEYSWAP_EXPECTS(begin + out.size() <= images_.size());
        std::ranges::copy(std::span(images_).subspan(begin, out.size()), out.begin());
    }

    std::vector<Image> images_;
    MaterializedSource source_;
};

/// Keys generated on demand.
class StreamedKeys final : public InputKeys {
  public:
    StreamedKeys(KeyGenerator const& generator, Direction direction)
        : generator_(generator), source_(generator, direction),
          flip_(direction == Direction::ascending
                    ? 0
                    : largest_image_of_bits(key_bits(generator.request().key_type))) {}

    [[nodiscard]] std::uint64_t key_count() const override { return generator_.key_count(); }
    [[nodiscard]] KeySource& source() override { return source_; }
    void images(std::uint64_t begin, std::span<std::uint64_t> out) const override {
        if (key_bits(generator_.request().key_type) == 64) {
            make(begin, out);
            return;
        }
        // Generating narrow keys in their own width is faster.
        std::array<std::uint32_t, 512> narrow;
        while (!out.empty()) {
            auto const batch = std::span(narrow).first(std::min(narrow.size(), out.size()));
            generator_.images(begin, batch);
            std::ranges::transform(
                batch, out.begin(), [flip = static_cast<std::uint32_t>(flip_)](auto image) {
                    return image ^ flip;
                });
            out = out.subspan(batch.size());
            begin += batch.size();
        }
    }
    void images(std::uint64_t begin, std::span<uint128> out) const override { make(begin, out); }

  private:
    template <class Word>
    void make(std::uint64_t begin, std::span<Word> out) const {
        generator_.images(begin, out);
        for (Word& image : out) {
            image ^= static_cast<Word>(flip_);
        }
    }

    KeyGenerator generator_;
    StreamedSource source_;
    uint128 flip_;
};

/// Returns an error if keys that must be held in memory would exceed the memory limit.
Expected<void> check_key_memory(std::string const& subject,
                                std::uint64_t key_count,
                                RunHeader const& header,
                                VerifyLimits const& limits) {
    std::uint64_t const size = key_size_bytes(header.key_type);
    if (key_count <= limits.memory_bytes / size) {
        return {};
    }
    return input_error(subject,
                       std::to_string(key_count) + " keys of " + std::to_string(size) +
                           " bytes have to be held, and " + setting("memory-limit") + " is " +
                           std::to_string(limits.memory_bytes) + " bytes",
                       "raise " + setting("memory-limit") + ", or compare only the records with " +
                           setting("records-only"));
}

bool unifies_zeros(RunHeader const& header) {
    return header.zero_order == ZeroOrder::equal && is_floating(header.key_type);
}

template <class Image>
std::unique_ptr<InputKeys> generate(KeyGenerator const& generator, RunHeader const& header) {
    std::vector<Image> images(generator.key_count());
    generator.images(0, std::span<Image>(images));
    with_key_type(header.key_type, [&]<class Key>(Key) {
        if constexpr (sizeof(Key) == sizeof(Image)) {
            for (Image& image : images) {
                Image const directed =
                    header.direction == Direction::descending ? static_cast<Image>(~image) : image;
                image = canonical_image<Key>(directed, header.zero_order, header.direction);
            }
        }
    });
    return input_of(std::move(images));
}

Expected<KeyLookup> from_seed(RunHeader const& header, VerifyLimits const& limits) {
    InputRecord const& input = header.input;
    std::string const other_version =
        "seed " + std::to_string(input.seed) + " of " + input.distribution +
        " is of generator version " + std::to_string(input.generator_version) +
        ", and this program has version " + std::to_string(generator_version);
    if (input.generator_version < 1 || input.generator_version > generator_version) {
        return KeyLookup{nullptr, other_version}; // distributions may differ as well
    }
    KEYSWAP_TRY(
        auto const generator,
        KeyGenerator::make(
            {input.distribution, input.parameter, header.key_type, header.key_count, input.seed}));
    if (!generator.agrees_with_version(input.generator_version)) {
        return KeyLookup{nullptr, other_version};
    }
    if (header.key_count > limits.regenerated_keys_max) {
        return input_error("key_count",
                           std::to_string(header.key_count) +
                               " keys would have to be made again, and " + setting("key-limit") +
                               " is " + std::to_string(limits.regenerated_keys_max),
                           "raise " + setting("key-limit") + ", or compare only the records with " +
                               setting("records-only"));
    }
    // A generator does not map -0.0 to +0.0; if the run does, the keys must be held in memory.
    if (unifies_zeros(header)) {
        KEYSWAP_RETURN_IF_ERROR(check_key_memory("key_count", header.key_count, header, limits));
    }
    std::uint64_t const size = key_size_bytes(header.key_type);
    bool const kept = unifies_zeros(header) || header.key_count <= kept_bytes_max / size;
    if (!kept) {
        return KeyLookup{std::make_unique<StreamedKeys>(generator, header.direction), {}};
    }
    return with_image_type(header.key_type, [&]<class Image>(Image) {
        return KeyLookup{generate<Image>(generator, header), {}};
    });
}

/// Allocates memory for keys that exist, not for the number that the header claims.
template <class Image>
Expected<KeyLookup>
read_keys(KeyFileReader& reader, RunHeader const& header, VerifyLimits const& limits) {
    constexpr std::size_t block_keys = std::size_t{1} << 20;
    std::vector<Image> words;
    std::size_t count = 0;
    while (count <= header.key_count) { // one more reveals a longer file
        if (count == words.size()) {
            std::size_t const grown = count + std::max(block_keys, count / 2);
            words.resize(
                static_cast<std::size_t>(std::min<std::uint64_t>(grown, header.key_count + 1)));
        }
        KEYSWAP_TRY(auto const read,
                    reader.read(std::as_writable_bytes(std::span(words).subspan(count))));
        if (read == 0) {
            break;
        }
        count += read;
        KEYSWAP_RETURN_IF_ERROR(check_key_memory(header.input.file, count, header, limits));
    }
    if (count != header.key_count) {
        return tl::unexpected(key_count_mismatch(
            header,
            count < header.key_count ? std::to_string(count)
                                     : "more than " + std::to_string(header.key_count)));
    }
    words.resize(count);
    to_images(header.key_type, header.direction, header.zero_order, std::span<Image>(words));
    return KeyLookup{input_of(std::move(words)), {}};
}

/// Concatenates the files of all ranks; opens each when the previous one ends.
class FilesInOrder final : public KeyFileReader {
  public:
    FilesInOrder(std::span<std::string const> paths, RunHeader const& header)
        : paths_(paths), header_(header) {}

    [[nodiscard]] KeyType key_type() const override { return header_.key_type; }
    [[nodiscard]] std::optional<std::uint64_t> key_count() const override { return std::nullopt; }
    [[nodiscard]] Expected<std::size_t> read(std::span<std::byte> block) override {
        while (true) {
            if (!reader_) {
                if (paths_.empty()) {
                    return 0;
                }
                KEYSWAP_TRY(auto next, open_input(paths_.front(), header_));
                reader_ = std::move(next);
                paths_ = paths_.subspan(1);
            }
            auto const read = reader_->read(block);
            if (!read || *read > 0) {
                return read;
            }
            reader_.reset();
        }
    }

  private:
    std::span<std::string const> paths_; ///< not yet opened
    RunHeader const& header_;
    std::unique_ptr<KeyFileReader> reader_;
};

std::vector<std::string> paths_of(RunHeader const& header) {
    if (!is_one_file_a_rank(header.input.file)) {
        return {header.input.file};
    }
    std::vector<std::string> paths;
    for (std::uint32_t rank = 0; rank < header.gpus.size(); ++rank) {
        paths.push_back(file_of_rank(header.input.file, rank));
    }
    return paths;
}

Expected<KeyLookup> from_file(RunHeader const& header, VerifyLimits const& limits) {
    std::vector<std::string> const paths = paths_of(header);
    std::vector<std::filesystem::file_time_type> written_before;
    std::error_code error;
    for (std::filesystem::path const path : paths) {
        if (std::filesystem::exists(path, error) &&
            !std::filesystem::is_regular_file(path, error)) {
            return KeyLookup{nullptr,
                             "the file of keys " + path.string() + " is not a regular file"};
        }
        written_before.push_back(std::filesystem::last_write_time(path, error));
        if (error) {
            return KeyLookup{nullptr, "the file of keys " + path.string() + " is not there"};
        }
    }
    KEYSWAP_TRY(auto const reader,
                paths.size() == 1 ? open_input(paths.front(), header)
                                  : Expected<std::unique_ptr<KeyFileReader>>(
                                        std::make_unique<FilesInOrder>(std::span(paths), header)));
    std::optional<std::uint64_t> const key_count = reader->key_count();
    if (key_count && *key_count != header.key_count) {
        return tl::unexpected(key_count_mismatch(header, std::to_string(*key_count)));
    }
    KEYSWAP_RETURN_IF_ERROR(
        check_key_memory(header.input.file, key_count.value_or(0), header, limits));
    auto lookup = with_image_type(header.key_type, [&]<class Image>(Image) {
        return read_keys<Image>(*reader, header, limits);
    });
    for (std::size_t i = 0; lookup && i < paths.size(); ++i) {
        if (std::filesystem::last_write_time(paths[i], error) != written_before[i]) {
            return input_error(paths[i],
                               "changed while it was being read",
                               "verify again when nothing is writing to it");
        }
    }
    return lookup;
}

} // namespace

std::unique_ptr<InputKeys> input_of(std::vector<std::uint32_t> images) {
    return std::make_unique<KeptKeys<std::uint32_t>>(std::move(images));
}

std::unique_ptr<InputKeys> input_of(std::vector<std::uint64_t> images) {
    return std::make_unique<KeptKeys<std::uint64_t>>(std::move(images));
}

std::unique_ptr<InputKeys> input_of(std::vector<uint128> images) {
    return std::make_unique<KeptKeys<uint128>>(std::move(images));
}

Expected<KeyLookup> find_input(RunHeader const& header, VerifyLimits const& limits) {
    if (limits.records_only) {
        return KeyLookup{nullptr, records_only_reason()};
    }
    if (header.input.distribution == "file") {
        return from_file(header, limits);
    }
    if (header.input.distribution.empty()) {
        return KeyLookup{nullptr, "the trace does not say where its keys came from"};
    }
    return from_seed(header, limits);
}

} // namespace keyswap::model::verify
