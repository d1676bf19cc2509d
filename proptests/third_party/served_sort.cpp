// Forwards a sort to a running server process, with the interface of
// `keyswap record`: that starts a process per run, in which creating a GPU
// context or loading a Python library would take seconds. sort_server.py is
// the server; environment variables give its socket and the sort's name.

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace {

/// Return values of sort(), which `keyswap record` shows.
enum Outcome { sorted = 0, no_server = 1, refused = 2 };

std::string_view environment(char const* name) {
    char const* const text = std::getenv(name);
    return text == nullptr ? "" : text;
}

std::size_t size_of(std::string_view type) {
    return type.ends_with("64") ? sizeof(std::uint64_t) : sizeof(std::uint32_t);
}

/// A connected local socket; every function returns whether it succeeded.
class Connection {
  public:
    Connection() : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
    Connection(Connection const&) = delete;
    Connection& operator=(Connection const&) = delete;
    ~Connection() { ::close(socket_); }

    [[nodiscard]] bool open(std::string_view path) const {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.empty() || path.size() >= sizeof address.sun_path) {
            return false;
        }
        path.copy(address.sun_path, path.size());
        return ::connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    }

    [[nodiscard]] bool send(void const* bytes, std::size_t size) const {
        auto const* next = static_cast<char const*>(bytes);
        for (std::size_t left = size; left > 0;) {
            ssize_t const sent = ::send(socket_, next, left, MSG_NOSIGNAL);
            if (sent <= 0) {
                return false;
            }
            next += sent;
            left -= static_cast<std::size_t>(sent);
        }
        return true;
    }

    [[nodiscard]] bool receive(void* bytes, std::size_t size) const {
        auto* next = static_cast<char*>(bytes);
        for (std::size_t left = size; left > 0;) {
            ssize_t const came = ::recv(socket_, next, left, 0);
            if (came <= 0) {
                return false;
            }
            next += came;
            left -= static_cast<std::size_t>(came);
        }
        return true;
    }

    /// Reads a line without its end; returns the text so far if the connection ends first.
    [[nodiscard]] std::string line() const {
        std::string text;
        for (char letter{}; receive(&letter, 1) && letter != '\n';) {
            text += letter;
        }
        return text;
    }

  private:
    int socket_;
};

} // namespace

extern "C" int
sort(void* keys, std::uint64_t count, char const* type, void* values, std::uint64_t value_bytes) {
    Connection const server;
    std::size_t const key_bytes = count * size_of(type);
    std::string const request = std::string(environment("KEYSWAP_SERVED_SORT")) + ' ' + type + ' ' +
                                std::to_string(count) + ' ' + std::to_string(value_bytes) + '\n';
    if (!server.open(environment("KEYSWAP_SORT_SERVER")) ||
        !server.send(request.data(), request.size()) || !server.send(keys, key_bytes) ||
        !server.send(values, count * value_bytes)) {
        std::fputs("KEYSWAP_SORT_SERVER is not a socket of a sort_server.py that runs\n", stderr);
        return no_server;
    }
    if (std::string const answer = server.line(); answer != "sorted") {
        std::fprintf(stderr, "%s\n", answer.c_str());
        return refused;
    }
    return server.receive(keys, key_bytes) && server.receive(values, count * value_bytes)
               ? sorted
               : no_server;
}
