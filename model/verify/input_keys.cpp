#include "proptests/input_keys.hpp"

#include "model/key_file.hpp"
#include "model/key_generator.hpp"
#include "model/key_order.hpp"
#include "model/materialized_source.hpp"
#include "model/streamed_source.hpp"
#include "traces/contracts.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

namespace keyswap::conformance {

namespace {

/// Keys in memory.
template <class Image>
class KeptKeys final : public InputKeys {
  public:
    explicit KeptKeys(std::vector<Image> images)
        : images_(std::move(images)), source_(std::span<Image const>(images_)) {}
    // The source refers to the vector's memory, which a move would take along but a copy not.
    KeptKeys(KeptKeys const&) = delete;
    KeptKeys& operator=(KeptKeys const&) = delete;

    [[nodiscard]] std::uint64_t key_count() const override { return images_.size(); }
    [[nodiscard]] model::KeySource& source() override { return source_; }
    void images(std::uint64_t begin, std::span<std::uint64_t> out) const override {
        KEYSWAP_EXPECTS(begin + out.size() <= images_.size());
        std::ranges::copy(std::span(images_).subspan(begin, out.size()), out.begin());
    }

  private:
    std::vector<Image> images_;
    model::MaterializedSource source_;
};

/// Keys that are made again whenever they are asked for.
class StreamedKeys final : public InputKeys {
  public:
    StreamedKeys(model::KeyGenerator const& generator, Direction direction)
        : generator_(generator), source_(generator, direction),
          flip_(direction == Direction::ascending              ? 0
                : key_bits(generator.request().key_type) == 32 ? 0xffffffffU
                                                               : ~std::uint64_t{0}) {}

    [[nodiscard]] std::uint64_t key_count() const override { return generator_.key_count(); }
    [[nodiscard]] model::KeySource& source() override { return source_; }
    void images(std::uint64_t begin, std::span<std::uint64_t> out) const override {
        if (key_bits(generator_.request().key_type) == 64) {
            generator_.images(begin, out);
            for (std::uint64_t& image : out) {
                image ^= flip_;
            }
            return;
        }
        // Narrow keys are made faster as what they are.
        std::array<std::uint32_t, 512> narrow;
        while (!out.empty()) {
            auto const batch = std::span(narrow).first(std::min(narrow.size(), out.size()));
            generator_.images(begin, batch);
            std::ranges::transform(
                batch, out.begin(), [this](std::uint32_t image) { return image ^ flip_; });
            out = out.subspan(batch.size());
            begin += batch.size();
        }
    }

  private:
    model::KeyGenerator generator_;
    model::StreamedSource source_;
    std::uint64_t flip_;
};

/// A generator makes -0.0 as it is, so keys of an order that knows only one zero are kept whole.
constexpr std::uint64_t unified_bytes_max = std::uint64_t{4} << 30;

bool unifies_zeros(RunHeader const& header) {
    return header.zero_order == ZeroOrder::equal &&
           (header.key_type == KeyType::f32 || header.key_type == KeyType::f64);
}

template <class Image>
std::unique_ptr<InputKeys> generate(model::KeyGenerator const& generator, RunHeader const& header) {
    std::vector<Image> images(generator.key_count());
    generator.images(0, std::span<Image>(images));
    model::with_key_type(header.key_type, [&]<class Key>(Key) {
        if constexpr (sizeof(Key) == sizeof(Image)) {
            for (Image& image : images) {
                Image const directed =
                    header.direction == Direction::descending ? static_cast<Image>(~image) : image;
                image = model::canonical_image<Key>(directed, header.zero_order, header.direction);
            }
        }
    });
    return input_of(std::move(images));
}

Expected<InputLookup> from_seed(RunHeader const& header) {
    InputRecord const& input = header.input;
    std::string const other_version =
        "seed " + std::to_string(input.seed) + " of " + input.distribution +
        " is of generator version " + std::to_string(input.generator_version) +
        ", and this program has version " + std::to_string(model::generator_version);
    if (input.generator_version < 1 || input.generator_version > model::generator_version) {
        return InputLookup{nullptr, other_version}; // distributions may be others, too
    }
    auto const generator = model::KeyGenerator::make(
        {input.distribution, input.parameter, header.key_type, header.key_count, input.seed});
    if (!generator) {
        return tl::unexpected(generator.error());
    }
    if (!generator->agrees_with_version(input.generator_version)) {
        return InputLookup{nullptr, other_version};
    }
    std::uint64_t const size = key_size_bytes(header.key_type);
    if (unifies_zeros(header) && header.key_count > unified_bytes_max / size) {
        return InputLookup{nullptr,
                           "keys whose -0.0 is taken as +0.0 are held in memory, and " +
                               std::to_string(header.key_count) + " are too many"};
    }
    bool const kept = unifies_zeros(header) || header.key_count <= kept_bytes_max / size;
    if (!kept) {
        return InputLookup{std::make_unique<StreamedKeys>(*generator, header.direction), {}};
    }
    return InputLookup{key_bits(header.key_type) == 32
                           ? generate<std::uint32_t>(*generator, header)
                           : generate<std::uint64_t>(*generator, header),
                       {}};
}

template <class Image>
Expected<InputLookup> read_keys(model::KeyFileReader& reader, RunHeader const& header) {
    std::vector<Image> words(header.key_count + 1); // one more, to notice a file that is longer
    std::size_t count = 0;
    while (count < words.size()) {
        auto const read = reader.read(std::as_writable_bytes(std::span(words).subspan(count)));
        if (!read) {
            return tl::unexpected(read.error());
        }
        if (*read == 0) {
            break;
        }
        count += *read;
    }
    if (count != header.key_count) {
        return tl::unexpected(
            InputError{header.input.file,
                       "has " + std::string(count < header.key_count ? "" : "more than ") +
                           std::to_string(std::min<std::uint64_t>(count, header.key_count)) +
                           " keys, and the trace is of " + std::to_string(header.key_count),
                       "give the file that was sorted its old name"});
    }
    words.resize(count);
    model::to_images(header.key_type, header.direction, header.zero_order, std::span<Image>(words));
    return InputLookup{input_of(std::move(words)), {}};
}

Expected<InputLookup> from_file(RunHeader const& header) {
    std::filesystem::path const path = header.input.file;
    std::error_code error;
    auto const written_before = std::filesystem::last_write_time(path, error);
    if (error) {
        return InputLookup{nullptr, "the file of keys " + path.string() + " is not there"};
    }
    model::KeyFileOptions options;
    if (model::format_of_name(path) != model::KeyFileFormat::npy) {
        options.key_type = header.key_type;
    }
    auto const reader = model::open_key_file(path, options);
    if (!reader) {
        return tl::unexpected(reader.error());
    }
    if ((*reader)->key_type() != header.key_type) {
        return tl::unexpected(InputError{path.string(),
                                         "holds " + std::string(to_string((*reader)->key_type())) +
                                             " keys, and the trace is of " +
                                             std::string(to_string(header.key_type)),
                                         "give the file that was sorted its old name"});
    }
    auto lookup = key_bits(header.key_type) == 32 ? read_keys<std::uint32_t>(**reader, header)
                                                  : read_keys<std::uint64_t>(**reader, header);
    if (lookup && std::filesystem::last_write_time(path, error) != written_before) {
        return tl::unexpected(InputError{
            path.string(), "changed while it was read", "verify again when nobody writes it"});
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

Expected<InputLookup> find_input(RunHeader const& header) {
    if (header.input.distribution == "file") {
        return from_file(header);
    }
    if (header.input.distribution.empty()) {
        return InputLookup{nullptr, "the trace does not say where its keys came from"};
    }
    return from_seed(header);
}

} // namespace keyswap::conformance
