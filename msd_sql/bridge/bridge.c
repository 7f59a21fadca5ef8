/* The bridge: msd_sql's SQL functions inside of any DuckDB process, answered by a Python worker.
 *
 * A loadable extension for DuckDB's C-struct ABI v1.2.0, without DuckDB's header: the table of function pointers is
 * append-only, so a slot's number is its name (checked on 1.5 and 2.0). It registers the functions that its file lists
 * behind the code, sends their arguments to the worker as raw columns, runs the statements that the worker asks for on
 * connections of its own, and hands the answer back. Nothing is written to disk, and nothing here knows what a
 * selection is.
 *
 * Messages, both ways: a tag, the length as u64, the payload; numbers in the machine's own order (little-endian).
 *   to the worker    C call   H header of a result   D rows   Z end of a result   E error of a statement
 *   from the worker  Q statement   T rows for a table   R answer   X error for the user
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __APPLE__
#include <crt_externs.h>
#define environ (*_NSGetEnviron())
#define MSG_NOSIGNAL 0
#else
extern char **environ;
#endif

/* ---- DuckDB's functions by slot ------------------------------------------------------------------------------- */

enum slot {
    CONNECT = 3, INTERRUPT = 4, DISCONNECT = 6, QUERY = 13, DESTROY_RESULT = 14,
    COLUMN_NAME = 15, COLUMN_LOGICAL_TYPE = 18, COLUMN_COUNT = 19, RESULT_ERROR = 21, RESULT_ERROR_TYPE = 22,
    FREE = 25, CREATE_TYPE = 156, GET_TYPE_ID = 166, DECIMAL_SCALE = 168, DECIMAL_INTERNAL = 169,
    ENUM_INTERNAL = 170, ENUM_SIZE = 171, ENUM_VALUE = 172, LIST_CHILD_TYPE = 173, ARRAY_CHILD_TYPE = 174,
    ARRAY_SIZE = 175, MAP_KEY_TYPE = 176, MAP_VALUE_TYPE = 177, STRUCT_COUNT = 178, STRUCT_NAME = 179,
    STRUCT_CHILD_TYPE = 180, DESTROY_TYPE = 184, CREATE_CHUNK = 186, DESTROY_CHUNK = 187,
    CHUNK_COLUMNS = 189, CHUNK_VECTOR = 190,
    CHUNK_SIZE = 191, CHUNK_SET_SIZE = 192, VECTOR_TYPE = 193, VECTOR_DATA = 194, VECTOR_VALIDITY = 195,
    ENSURE_VALIDITY = 196, ASSIGN_STRING = 198, LIST_CHILD = 199, LIST_SIZE = 200, LIST_SET_SIZE = 201,
    LIST_RESERVE = 202, STRUCT_CHILD = 203, ARRAY_CHILD = 204, CREATE_FUNCTION = 209, DESTROY_FUNCTION = 210,
    FUNCTION_NAME = 211, FUNCTION_SPECIAL = 213, FUNCTION_VOLATILE = 214, FUNCTION_PARAMETER = 215,
    FUNCTION_RETURNS = 216, FUNCTION_EXTRA = 217, FUNCTION_RUN = 218, REGISTER_FUNCTION = 219, GET_EXTRA = 220,
    SET_ERROR = 221, APPENDER_CREATE = 282, APPENDER_DESTROY = 288, APPEND_CHUNK = 291,
    FETCH_CHUNK = 306, SLOTS = 307
};

static void *api[SLOTS];
#define CALL(slot, returns, ...) ((returns(*)(__VA_ARGS__))api[slot])

typedef struct { uint64_t deprecated[3]; void *columns; char *error; void *data; } result_t;
struct access {
    void (*set_error)(void *, const char *);
    void **(*get_database)(void *);
    const void *(*get_api)(void *, const char *);
};

enum type {
    BOOLEAN = 1, TINYINT, SMALLINT, INTEGER, BIGINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, FLOAT, DOUBLE, TIMESTAMP,
    DATE, TIME, INTERVAL, HUGEINT, VARCHAR, BLOB, DECIMAL, TIMESTAMP_S, TIMESTAMP_MS, TIMESTAMP_NS, ENUM, LIST, STRUCT,
    MAP, UUID, UNION, BIT, TIME_TZ, TIMESTAMP_TZ, UHUGEINT, ARRAY, ANY, BIGNUM, SQLNULL, TIME_NS = 39
};

static int type_id(void *type) { return CALL(GET_TYPE_ID, int, void *)(type); }
static void drop_type(void *type) { CALL(DESTROY_TYPE, void, void **)(&type); }

/* Bytes of one value of a type without children; 0 for text and everything that is not a plain number. */
static size_t width(int id) {
    switch (id) {
    case BOOLEAN: case TINYINT: case UTINYINT: return 1;
    case SMALLINT: case USMALLINT: return 2;
    case INTEGER: case UINTEGER: case FLOAT: case DATE: return 4;
    case BIGINT: case UBIGINT: case DOUBLE: case TIMESTAMP: case TIME: case TIMESTAMP_S: case TIMESTAMP_MS:
    case TIMESTAMP_NS: case TIME_TZ: case TIMESTAMP_TZ: case TIME_NS: return 8;
    case INTERVAL: case HUGEINT: case UHUGEINT: case UUID: return 16;
    default: return 0;
    }
}

/* The type whose plain numbers stand for the values: a DECIMAL and an ENUM are stored as whole numbers. */
static int stored_as(void *type) {
    int id = type_id(type);
    if (id == DECIMAL) return CALL(DECIMAL_INTERNAL, int, void *)(type);
    if (id == ENUM) return CALL(ENUM_INTERNAL, int, void *)(type);
    return id;
}

static bool is_text(int id) { return id == VARCHAR || id == BLOB || id == BIT || id == BIGNUM; }

/* ---- Growing buffers and bounded readers ---------------------------------------------------------------------- */

typedef struct { char *bytes; size_t size, capacity; bool failed; } buffer;
typedef struct { const char *at, *end; bool failed; } reader;

static char *grow(buffer *b, size_t size) {
    if (b->failed) return NULL;
    if (b->capacity - b->size < size) {
        size_t capacity = b->capacity ? b->capacity : 4096;
        while (capacity - b->size < size) capacity *= 2;
        char *bytes = realloc(b->bytes, capacity);
        if (!bytes) { b->failed = true; return NULL; }
        b->bytes = bytes;
        b->capacity = capacity;
    }
    b->size += size;
    return b->bytes + b->size - size;
}

static void put(buffer *b, const void *bytes, size_t size) {
    char *to = grow(b, size);
    if (to && size) memcpy(to, bytes, size);
}
static void put8(buffer *b, uint8_t x) { put(b, &x, 1); }
static void put32(buffer *b, uint32_t x) { put(b, &x, 4); }
static void put64(buffer *b, uint64_t x) { put(b, &x, 8); }
static void put_text(buffer *b, const char *text) {
    uint32_t n = text ? (uint32_t)strlen(text) : 0;
    put32(b, n);
    put(b, text, n);
}

static const char *get(reader *r, size_t size) {
    if (r->failed || (size_t)(r->end - r->at) < size) { r->failed = true; return NULL; }
    const char *found = r->at;
    r->at += size;
    return found;
}
static uint32_t get32(reader *r) { uint32_t x = 0; const char *p = get(r, 4); if (p) memcpy(&x, p, 4); return x; }
static uint64_t get64(reader *r) { uint64_t x = 0; const char *p = get(r, 8); if (p) memcpy(&x, p, 8); return x; }

/* ---- Types and columns on the wire ---------------------------------------------------------------------------- */

static void put_type(buffer *b, void *type) {
    int id = type_id(type);
    put8(b, (uint8_t)id);
    if (id == DECIMAL) {
        put8(b, (uint8_t)stored_as(type));
        put8(b, CALL(DECIMAL_SCALE, uint8_t, void *)(type));
    } else if (id == ENUM) {
        uint32_t n = CALL(ENUM_SIZE, uint32_t, void *)(type);
        put8(b, (uint8_t)stored_as(type));
        put32(b, n);
        for (uint32_t i = 0; i < n; i++) {
            char *value = CALL(ENUM_VALUE, char *, void *, uint64_t)(type, i);
            put_text(b, value);
            CALL(FREE, void, void *)(value);
        }
    } else if (id == LIST || id == ARRAY) {
        void *child = CALL(id == LIST ? LIST_CHILD_TYPE : ARRAY_CHILD_TYPE, void *, void *)(type);
        if (id == ARRAY) put64(b, CALL(ARRAY_SIZE, uint64_t, void *)(type));
        put_type(b, child);
        drop_type(child);
    } else if (id == MAP) {
        void *key = CALL(MAP_KEY_TYPE, void *, void *)(type), *value = CALL(MAP_VALUE_TYPE, void *, void *)(type);
        put_type(b, key);
        put_type(b, value);
        drop_type(key);
        drop_type(value);
    } else if (id == STRUCT) {
        uint64_t n = CALL(STRUCT_COUNT, uint64_t, void *)(type);
        put32(b, (uint32_t)n);
        for (uint64_t i = 0; i < n; i++) {
            char *name = CALL(STRUCT_NAME, char *, void *, uint64_t)(type, i);
            void *child = CALL(STRUCT_CHILD_TYPE, void *, void *, uint64_t)(type, i);
            put_text(b, name);
            put_type(b, child);
            CALL(FREE, void, void *)(name);
            drop_type(child);
        }
    }
}

static bool valid(const uint64_t *mask, uint64_t row) { return !mask || (mask[row / 64] >> (row % 64) & 1); }

static void put_texts(buffer *b, const char *data, const uint64_t *mask, uint64_t rows) {
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t n = 0;
        if (valid(mask, i)) memcpy(&n, data + 16 * i, 4);
        put32(b, n);
    }
    for (uint64_t i = 0; i < rows; i++) {
        uint32_t n;
        const char *text;
        if (!valid(mask, i)) continue;
        memcpy(&n, data + 16 * i, 4);
        text = data + 16 * i + 4; /* twelve bytes stand in place, more behind a pointer */
        if (n > 12) memcpy(&text, data + 16 * i + 8, sizeof text);
        put(b, text, n);
    }
}

static void put_vector(buffer *b, void *vector, uint64_t rows) {
    void *type = CALL(VECTOR_TYPE, void *, void *)(vector);
    const uint64_t *mask = CALL(VECTOR_VALIDITY, uint64_t *, void *)(vector);
    const char *data = CALL(VECTOR_DATA, void *, void *)(vector);
    int id = stored_as(type);
    put8(b, mask != NULL);
    if (mask) put(b, mask, (rows + 63) / 64 * 8);
    if (is_text(id)) {
        put_texts(b, data, mask, rows);
    } else if (id == LIST || id == MAP) {
        uint64_t below = CALL(LIST_SIZE, uint64_t, void *)(vector);
        put(b, data, rows * 16);
        put64(b, below);
        put_vector(b, CALL(LIST_CHILD, void *, void *)(vector), below);
    } else if (id == ARRAY) {
        put_vector(b, CALL(ARRAY_CHILD, void *, void *)(vector), rows * CALL(ARRAY_SIZE, uint64_t, void *)(type));
    } else if (id == STRUCT) {
        uint64_t n = CALL(STRUCT_COUNT, uint64_t, void *)(type);
        for (uint64_t i = 0; i < n; i++) put_vector(b, CALL(STRUCT_CHILD, void *, void *, uint64_t)(vector, i), rows);
    } else {
        put(b, data, rows * width(id));
    }
    drop_type(type);
}

/* Fill a fresh vector, the inverse of put_vector. */
static void get_vector(reader *r, void *vector, uint64_t rows) {
    void *type = CALL(VECTOR_TYPE, void *, void *)(vector);
    int id = stored_as(type);
    const char *flag = get(r, 1), *mask = NULL;
    if (flag && *flag && (mask = get(r, (rows + 63) / 64 * 8)) && rows) {
        CALL(ENSURE_VALIDITY, void, void *)(vector);
        memcpy(CALL(VECTOR_VALIDITY, uint64_t *, void *)(vector), mask, (rows + 63) / 64 * 8);
    }
    if (is_text(id)) {
        const char *lengths = get(r, rows * 4);
        for (uint64_t i = 0; lengths && i < rows; i++) {
            uint32_t n;
            memcpy(&n, lengths + 4 * i, 4);
            const char *text = get(r, n);
            if (!text) break;
            bool known = !mask || ((uint8_t)mask[i / 8] >> (i % 8) & 1);
            if (known) CALL(ASSIGN_STRING, void, void *, uint64_t, const char *, uint64_t)(vector, i, text, n);
        }
    } else if (id == LIST || id == MAP) {
        const char *entries = get(r, rows * 16);
        uint64_t below = get64(r);
        if (entries && !r->failed && below <= (uint64_t)(r->end - r->at) * 8) {
            memcpy(CALL(VECTOR_DATA, void *, void *)(vector), entries, rows * 16);
            CALL(LIST_RESERVE, int, void *, uint64_t)(vector, below);
            CALL(LIST_SET_SIZE, int, void *, uint64_t)(vector, below);
            get_vector(r, CALL(LIST_CHILD, void *, void *)(vector), below);
        } else {
            r->failed = true;
        }
    } else if (id == STRUCT) {
        uint64_t n = CALL(STRUCT_COUNT, uint64_t, void *)(type);
        for (uint64_t i = 0; i < n; i++) get_vector(r, CALL(STRUCT_CHILD, void *, void *, uint64_t)(vector, i), rows);
    } else {
        const char *data = get(r, rows * width(id));
        if (data && width(id)) memcpy(CALL(VECTOR_DATA, void *, void *)(vector), data, rows * width(id));
        if (!width(id)) r->failed = true;
    }
    drop_type(type);
}

/* ---- One database and its worker ------------------------------------------------------------------------------ */

enum { CONNECTIONS = 3 };

typedef struct bridge {
    struct bridge *next;
    void *connections[CONNECTIONS];
    char *python;
    pthread_mutex_t call; /* DuckDB calls from several threads; the worker answers one at a time */
    int socket, control;
    pid_t worker;
    pthread_t watcher;
    pthread_mutex_t statement; /* guards the two below, which the watcher reads */
    void *running;
    bool stopped;
} bridge;

typedef struct { bridge *owner; char *name; } function;

static bridge *bridges;
static pthread_mutex_t bridges_lock = PTHREAD_MUTEX_INITIALIZER;

static bool send_all(int fd, const void *bytes, size_t size) {
    for (const char *at = bytes; size;) {
        ssize_t n = send(fd, at, size, MSG_NOSIGNAL);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool receive_all(int fd, void *bytes, size_t size) {
    for (char *at = bytes; size;) {
        ssize_t n = recv(fd, at, size, 0);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        at += n;
        size -= (size_t)n;
    }
    return true;
}

static bool send_message(bridge *b, char tag, const buffer *payload) {
    char head[9] = {tag};
    uint64_t size = payload ? payload->size : 0;
    memcpy(head + 1, &size, 8);
    if (payload && payload->failed) return false;
    return send_all(b->socket, head, 9) && (!size || send_all(b->socket, payload->bytes, size));
}

static bool receive_message(bridge *b, char *tag, buffer *payload) {
    char head[9];
    uint64_t size;
    if (!receive_all(b->socket, head, 9)) return false;
    *tag = head[0];
    memcpy(&size, head + 1, 8);
    payload->size = 0;
    char *to = grow(payload, size + 1);
    if (!to || !receive_all(b->socket, to, size)) return false;
    to[size] = 0;
    payload->size = size;
    return true;
}

/* Every byte on the control line means: stop the statement that runs. Ctrl-C reaches the worker, which asks for it. */
static void *watch(void *given) {
    bridge *b = given;
    char byte;
    while (receive_all(b->control, &byte, 1)) {
        pthread_mutex_lock(&b->statement);
        b->stopped = true;
        if (b->running) CALL(INTERRUPT, void, void *)(b->running);
        pthread_mutex_unlock(&b->statement);
    }
    return NULL;
}

static void stop_worker(bridge *b) {
    if (b->socket < 0) return;
    shutdown(b->control, SHUT_RDWR);
    pthread_join(b->watcher, NULL);
    close(b->control);
    close(b->socket); /* the worker leaves when its line is cut */
    b->socket = b->control = -1;
    struct timespec pause = {0, 5000000};
    for (int tries = 0; tries < 400; tries++) {
        pid_t done = waitpid(b->worker, NULL, WNOHANG);
        if (done == b->worker || (done < 0 && errno == ECHILD)) return;
        nanosleep(&pause, NULL);
    }
    kill(b->worker, SIGKILL);
    waitpid(b->worker, NULL, 0);
}

/* Both ends closed on exec; away from the numbers that the worker's own ends get. */
static bool pair(int ends[2]) {
    int made[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, made)) return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(made[i], F_DUPFD_CLOEXEC, 10);
        close(made[i]);
#ifdef __APPLE__
        setsockopt(ends[i], SOL_SOCKET, SO_NOSIGPIPE, &(int){1}, sizeof(int));
#endif
    }
    return ends[0] >= 0 && ends[1] >= 0;
}

static bool start_worker(bridge *b) {
    if (b->socket >= 0) return true;
    int line[2], control[2];
    if (!pair(line)) return false;
    if (!pair(control)) { close(line[0]); close(line[1]); return false; }
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t held, defaults;
    sigemptyset(&held);
    sigaddset(&held, SIGINT); /* until Python is loaded and asks for it */
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGPIPE);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, 2, 1); /* the shell's own output is not the worker's */
    posix_spawn_file_actions_adddup2(&files, line[1], 3);
    posix_spawn_file_actions_adddup2(&files, control[1], 4);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &held);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    /* -P: a file of the user's own folder must not be taken for one of our modules. */
    char *const arguments[] = {b->python, "-P", "-m", "msd_sql.bridge.worker", "3", "4", NULL};
    int failed = posix_spawn(&b->worker, b->python, &files, &attributes, arguments, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&attributes);
    close(line[1]);
    close(control[1]);
    b->socket = line[0];
    b->control = control[0];
    if (!failed && !pthread_create(&b->watcher, NULL, watch, b)) return true;
    if (!failed) { kill(b->worker, SIGKILL); waitpid(b->worker, NULL, 0); }
    close(b->socket);
    close(b->control);
    b->socket = b->control = -1;
    return false;
}

/* ---- What the worker asks for --------------------------------------------------------------------------------- */

static bool begin(bridge *b, void *connection) {
    pthread_mutex_lock(&b->statement);
    bool go = !b->stopped;
    if (go) b->running = connection;
    pthread_mutex_unlock(&b->statement);
    return go;
}

static void end(bridge *b) {
    pthread_mutex_lock(&b->statement);
    b->running = NULL;
    pthread_mutex_unlock(&b->statement);
}

static bool send_error(bridge *b, int kind, const char *text, buffer *out) {
    out->size = 0;
    put32(out, (uint32_t)kind);
    put_text(out, text ? text : "");
    return send_message(b, 'E', out);
}

static bool send_result(bridge *b, result_t *result, buffer *out) {
    uint64_t columns = CALL(COLUMN_COUNT, uint64_t, result_t *)(result);
    out->size = 0;
    put32(out, (uint32_t)columns);
    for (uint64_t i = 0; i < columns; i++) {
        void *type = CALL(COLUMN_LOGICAL_TYPE, void *, result_t *, uint64_t)(result, i);
        put_text(out, CALL(COLUMN_NAME, const char *, result_t *, uint64_t)(result, i));
        put_type(out, type);
        drop_type(type);
    }
    bool alive = send_message(b, 'H', out);
    for (void *chunk; alive && (chunk = CALL(FETCH_CHUNK, void *, result_t)(*result));) {
        uint64_t rows = CALL(CHUNK_SIZE, uint64_t, void *)(chunk);
        out->size = 0;
        put64(out, rows);
        for (uint64_t i = 0; i < columns; i++)
            put_vector(out, CALL(CHUNK_VECTOR, void *, void *, uint64_t)(chunk, i), rows);
        CALL(DESTROY_CHUNK, void, void **)(&chunk);
        alive = !rows || send_message(b, 'D', out);
    }
    return alive && send_message(b, 'Z', NULL);
}

static bool run_statement(bridge *b, reader *in, buffer *out) {
    uint32_t which = get32(in);
    if (in->failed || which >= CONNECTIONS) return false;
    void *connection = b->connections[which];
    if (!begin(b, connection)) return send_error(b, 29, "INTERRUPT Error: Interrupted!", out);
    result_t result;
    memset(&result, 0, sizeof result);
    int failed = CALL(QUERY, int, void *, const char *, result_t *)(connection, in->at, &result);
    end(b);
    bool alive = failed ? send_error(b, CALL(RESULT_ERROR_TYPE, int, result_t *)(&result),
                                     CALL(RESULT_ERROR, const char *, result_t *)(&result), out)
                        : send_result(b, &result, out);
    CALL(DESTROY_RESULT, void, result_t *)(&result);
    return alive;
}

/* Append rows to a TEMP table that the worker made: public columns, such as the candidates. */
static bool fill_table(bridge *b, reader *in, buffer *out) {
    uint32_t which = get32(in), length = get32(in);
    const char *name = get(in, length + 1); /* with its terminating zero */
    uint32_t columns = get32(in);
    uint64_t rows = get64(in);
    if (in->failed || which >= CONNECTIONS || !columns) return false;
    result_t result;
    memset(&result, 0, sizeof result);
    void *appender = NULL, **types = calloc(columns, sizeof *types), *chunk = NULL;
    char sql[512];
    snprintf(sql, sizeof sql, "SELECT * FROM temp.main.\"%s\" LIMIT 0", name);
    bool done = types && !CALL(QUERY, int, void *, const char *, result_t *)(b->connections[which], sql, &result);
    for (uint32_t i = 0; done && i < columns; i++)
        types[i] = CALL(COLUMN_LOGICAL_TYPE, void *, result_t *, uint64_t)(&result, i);
    CALL(DESTROY_RESULT, void, result_t *)(&result);
    done = done && !CALL(APPENDER_CREATE, int, void *, const char *, const char *, const char *, void **)(
                       b->connections[which], "temp", "main", name, &appender);
    if (done) {
        chunk = CALL(CREATE_CHUNK, void *, void **, uint64_t)(types, columns);
        for (uint32_t i = 0; i < columns; i++)
            get_vector(in, CALL(CHUNK_VECTOR, void *, void *, uint64_t)(chunk, i), rows);
        CALL(CHUNK_SET_SIZE, void, void *, uint64_t)(chunk, rows);
        done = !in->failed && !CALL(APPEND_CHUNK, int, void *, void *)(appender, chunk);
        CALL(DESTROY_CHUNK, void, void **)(&chunk);
    }
    if (appender && CALL(APPENDER_DESTROY, int, void **)(&appender)) done = false;
    for (uint32_t i = 0; types && i < columns; i++) if (types[i]) drop_type(types[i]);
    free(types);
    return done ? send_message(b, 'Z', NULL) : send_error(b, 31, "The rows could not be appended.", out);
}

/* ---- A call of one of our functions --------------------------------------------------------------------------- */

static const char GONE[] =
    "The Python worker of msd_sql stopped before it answered; what had been charged before stays charged: see "
    "msd_ledger(). The next query starts a new one.";

static bool answer(function *f, void *input, void *output, buffer *message, char **error) {
    bridge *b = f->owner;
    uint64_t rows = CALL(CHUNK_SIZE, uint64_t, void *)(input);
    void *returns = CALL(VECTOR_TYPE, void *, void *)(output);
    uint64_t columns = CALL(CHUNK_COLUMNS, uint64_t, void *)(input);
    message->size = 0;
    put_text(message, f->name);
    put64(message, rows);
    put_type(message, returns);
    drop_type(returns);
    put32(message, (uint32_t)columns);
    for (uint64_t i = 0; i < columns; i++) {
        void *vector = CALL(CHUNK_VECTOR, void *, void *, uint64_t)(input, i);
        void *type = CALL(VECTOR_TYPE, void *, void *)(vector);
        put_type(message, type);
        drop_type(type);
        put_vector(message, vector, rows);
    }
    pthread_mutex_lock(&b->statement);
    b->stopped = false;
    pthread_mutex_unlock(&b->statement);
    bool alive = send_message(b, 'C', message);
    buffer out = {0};
    while (alive) {
        char tag;
        if (!(alive = receive_message(b, &tag, message))) break;
        reader in = {message->bytes, message->bytes + message->size, false};
        if (tag == 'Q') {
            alive = run_statement(b, &in, &out);
        } else if (tag == 'T') {
            alive = fill_table(b, &in, &out);
        } else if (tag == 'R') {
            get_vector(&in, output, rows);
            alive = !in.failed;
            break;
        } else {
            *error = strdup(message->bytes);
            break;
        }
    }
    free(out.bytes);
    return alive;
}

static void run(void *info, void *input, void *output) {
    function *f = CALL(GET_EXTRA, void *, void *)(info);
    bridge *b = f->owner;
    buffer message = {0};
    char *error = NULL;
    pthread_mutex_lock(&b->call);
    if (!start_worker(b)) {
        char text[1024];
        snprintf(text, sizeof text, "The Python worker of msd_sql could not be started with %s. %s", b->python,
                 "Run `msd duckdb` (or `msd duckdbrc`) again from the environment that has msd_sql.");
        CALL(SET_ERROR, void, void *, const char *)(info, text);
    } else if (!answer(f, input, output, &message, &error)) {
        stop_worker(b);
        CALL(SET_ERROR, void, void *, const char *)(info, GONE);
    } else if (error) {
        CALL(SET_ERROR, void, void *, const char *)(info, error);
    }
    pthread_mutex_unlock(&b->call);
    free(error);
    free(message.bytes);
}

/* ---- Loading and leaving -------------------------------------------------------------------------------------- */

/* Our connections keep the database open: let them go when the process leaves, so that it is closed (and its .wal
 * folded in) as if we had not been there. A call that still runs keeps its database; the system cleans up. */
static void *let_go(void *given) {
    (void)given;
    for (bridge *b = bridges; b; b = b->next) {
        if (pthread_mutex_trylock(&b->call)) continue;
        stop_worker(b);
        for (int i = 0; i < CONNECTIONS; i++)
            if (b->connections[i]) CALL(DISCONNECT, void, void **)(&b->connections[i]);
        pthread_mutex_unlock(&b->call);
    }
    return NULL;
}

/* On a thread of its own: exit() has already destroyed the thread-local objects of the one that calls us, and closing
 * a database needs them. */
static void leave(void) {
    pthread_t last;
    if (!pthread_create(&last, NULL, let_go, NULL)) pthread_join(last, NULL);
}

static void drop_function(void *given) {
    function *f = given;
    free(f->name);
    free(f);
}

/* A line: the function's name, a tab, and a query whose columns have the types of its answer and its parameters; one
 * that is named "any" stands for every type. */
static bool register_function(bridge *b, const char *line) {
    const char *tab = strchr(line, '\t');
    if (!tab) return false;
    result_t types;
    memset(&types, 0, sizeof types);
    if (CALL(QUERY, int, void *, const char *, result_t *)(b->connections[0], tab + 1, &types)) {
        CALL(DESTROY_RESULT, void, result_t *)(&types);
        return false;
    }
    function *f = calloc(1, sizeof *f);
    f->owner = b;
    f->name = strndup(line, (size_t)(tab - line));
    void *made = CALL(CREATE_FUNCTION, void *, void)();
    CALL(FUNCTION_NAME, void, void *, const char *)(made, f->name);
    uint64_t columns = CALL(COLUMN_COUNT, uint64_t, result_t *)(&types);
    for (uint64_t i = 0; i < columns; i++) {
        bool any = !strcmp(CALL(COLUMN_NAME, const char *, result_t *, uint64_t)(&types, i), "any");
        void *type = any ? CALL(CREATE_TYPE, void *, int)(ANY)
                         : CALL(COLUMN_LOGICAL_TYPE, void *, result_t *, uint64_t)(&types, i);
        CALL(i ? FUNCTION_PARAMETER : FUNCTION_RETURNS, void, void *, void *)(made, type);
        drop_type(type);
    }
    CALL(DESTROY_RESULT, void, result_t *)(&types);
    CALL(FUNCTION_VOLATILE, void, void *)(made); /* never folded, never run by EXPLAIN, PREPARE or LIMIT 0 */
    CALL(FUNCTION_SPECIAL, void, void *)(made);  /* NULL arguments arrive as well */
    CALL(FUNCTION_EXTRA, void, void *, void *, void (*)(void *))(made, f, drop_function);
    CALL(FUNCTION_RUN, void, void *, void (*)(void *, void *, void *))(made, run);
    bool done = !CALL(REGISTER_FUNCTION, int, void *, void *)(b->connections[0], made);
    CALL(DESTROY_FUNCTION, void, void **)(&made);
    return done;
}

/* Between the code and DuckDB's footer of 534 bytes this file says which Python to start and which functions there are,
 * followed by the length of that text in eight bytes. */
static char *own_text(void) {
    Dl_info self;
    if (!dladdr((void *)own_text, &self)) return NULL;
    FILE *file = fopen(self.dli_fname, "rb");
    if (!file) return NULL;
    uint64_t size = 0;
    char *text = NULL;
    bool sized = !fseek(file, -(534L + 8), SEEK_END) && fread(&size, 8, 1, file) == 1 && size < 1 << 20;
    if (sized && !fseek(file, -(534L + 8 + (long)size), SEEK_END) && (text = calloc(1, size + 1)) &&
        fread(text, 1, size, file) != size) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

__attribute__((visibility("default"))) bool msd_init_c_api(void *info, struct access *access) {
    const void *table = access->get_api(info, "v1.2.0");
    if (!table) return false; /* DuckDB has set the error */
    memcpy(api, table, sizeof api);
    void **database = access->get_database(info);
    char *text = own_text(), *rest = text;
    bridge *b = calloc(1, sizeof *b);
    if (!database || !text || !b) {
        access->set_error(info, "msd_sql: the extension cannot read its own file. Build it again: "
                                "python -m msd_sql.bridge build");
        free(text);
        free(b);
        return false;
    }
    b->socket = b->control = -1;
    pthread_mutex_init(&b->call, NULL);
    pthread_mutex_init(&b->statement, NULL);
    bool done = true;
    for (int i = 0; done && i < CONNECTIONS; i++)
        done = !CALL(CONNECT, int, void *, void **)(*database, &b->connections[i]);
    char *line = strsep(&rest, "\n");
    b->python = strdup(line);
    while (done && (line = strsep(&rest, "\n"))) done = !*line || register_function(b, line);
    free(text);
    pthread_mutex_lock(&bridges_lock);
    if (!bridges) atexit(leave);
    b->next = bridges;
    bridges = b;
    pthread_mutex_unlock(&bridges_lock);
    if (!done)
        access->set_error(info, "msd_sql: its functions could not be registered in this DuckDB. Build the extension "
                                "again: python -m msd_sql.bridge build");
    return done;
}
