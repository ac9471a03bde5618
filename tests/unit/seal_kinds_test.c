/* Recipients and identities of the kinds besides X25519: post-quantum ones, and SSH's RSA. */
#include "codec/codec.h"
#include "seal/age.h"
#include "seal/bech32.h"
#include "seal/derive.h"
#include "seal/xwing.h"

#include "asserts.h"
#include "seal_fixture.h"

#include <openssl/evp.h>
#include <sodium.h>

/* CCTV's file "hybrid", armoured, and its identity. */
#define HYBRID_IDENTITY                                                                            \
	"AGE-SECRET-KEY-PQ-1HZLGZUPT4ETPKDEV8HSGFDCYZ4E522W0A7PU2LHT8EH9W6YLNC3SW78XKG"
#define X25519_IDENTITY "AGE-SECRET-KEY-1EGTZVFFV20835NWYV6270LXYVK2VKNX2MMDKWYKLMGR48UAWX40Q2P2LM0"
/* tests/keys/TEST-ONLY-ssh-rsa.pub */
#define RSA_RECIPIENT                                                                              \
	"ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABAQDNTbNua8i4IeVFbMOvs7EuV89uQUm9KJ"                   \
	"+g3aoc2I835qylkDnD1fcC7xrHkeOqBeAEMrC61fyeLASd1eaG0Nn82rl5TsEqJ+1xnDSY"                   \
	"crQbkN9G6/dWlEpEhHEw6TIEYCtdlzt8ZO0e/PpHnAy7JJti+m7P9vl3lYWHcZkRUCmavj"                   \
	"zl9EEvOMiaxiU5Xq2lAv6cjoJrkpf/kdvC1qyWZysPJg5FmAS+wpZ+8Jzx2vkgMybuqhLK"                   \
	"KVv2tFOFdTNhvZT2CbJQQSHk8x1CxTC3yFFxaYE62sbIosUcH/5bx6l0u8L9D0QePvBYgB"                   \
	"W4G77BHNv8vY+Uwu45e4dtzBOmz17Z"
static const char hybrid_file[] =
    "-----BEGIN AGE ENCRYPTED FILE-----\n"
    "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IG1sa2VtNzY4eDI1NTE5IE5mTGNnQWJ6\n"
    "dk5nZjBhUmI0UEFOQnZ5RHRJRERRS2Y4NEpoaEZsbnZUMU5VQWNiR05yQXJSWi9U\n"
    "K2JjOWw0eG1LMURTbCtQWGs2bnFxR0JoYU0xZFVpVDdYMTdUVTEvYjloYVpaUHpF\n"
    "YWx2WkhGRE1TZXZmaVpzaGxuU2djcFdoMHFucGdUeWJvV1RVK3pickg2WUQydWhz\n"
    "aGJKb2l1cWgrUHBYdERNc3RYeDRDZ3hBU3JOVmxmU2wvY2FSVGkyNFFqSVhwQ053\n"
    "RUU0RndIcm1Bd1VxU0hMVXpHT0hmaVcvY2hPQ1R0RFg1OTF4NDFvNmVaNC9EdDky\n"
    "VmhvWUtGY3BpYVdiUmhiZW5aWFVKeFBTMUMxc0s4NENWd2tESDdMSmpiWUNua3h0\n"
    "M21ldWw4a0tXaWhac1N0WllkLzZib3pxY3pPWDd6TjVQYmFZRDFYcFl3TXdlZHpX\n"
    "bVBtUXp4QnliRDhab2RjUjdoRjdXVXhTbUZWSDdFeGlZSDNaTmJEQVZjZ0d3bGtU\n"
    "Rm1VbWFUQ2JqR1pUdjhNK2VqbXZTdFFIZ0N0UGk0R0dSZEpGcjNIenZSem02YnZy\n"
    "ZEYvcmRTUFJGdFJWTTdEOW83WkFBcXVEMVBCeUUwWTVZQ1I0L3ZtVGxJbFJ3Rlhr\n"
    "NGJlK1RzQUkrR290dWpvdTZucmlnd25mcW9HaU5TdmkvWlZ2U0tuRG9aUElFNXF3\n"
    "T05DZWVKQjhDZVJocVhFanZndHdjMnpjV1VCdGpTSmdOTCtqODg3azJoMHhsWHBR\n"
    "cWxtRERIc0JPQ1AzL1ZvTStOWlVScUkrUm9UdWRjd1RsOFRnbWhHclF5dG5vdnVX\n"
    "RkR2RTlIZ1BBczY3ZFBSQzY0LzNSRVMzaEYyQzYvUjFwUUFuQzdTMmlTaWpKbnlG\n"
    "bGFESldmY1p2dk5vYW1waER2NjNrVU5iN2I5VjhFK3h3cUY4R2t1WEpuQkZEbzBQ\n"
    "dUp6OHFXSDdzRE1FT2hJSW5tYW5EaXU2Sy85ak9DdWJZTmROY1hyalFrbmx2azFr\n"
    "RmRqWjJ4WW5DNlF1cUE1K3FITUJwZ3JnMzAxUFgxNTRYNEtVY3hBM1BvRnlZTmV4\n"
    "YUJLM25qa3M3UE54bDdIeVpJV2pqRGx6NTBXclFuRXFCamw4UlZWdW5lTDN2Z1Z5\n"
    "VTQ1R1NWV1FWT0g0SzZhZXBXUDArcDdXVUQ1MnJoZFZINUhQWldRTDN2OFRqRXo4\n"
    "MEFlYjg3KzFzMXdnTSs1c2tOWDRMcE95dWhSeFEvQ2hYc1ZaclZKOFNSc0JsTzRL\n"
    "K0NKMjcxckhqOGw4TkVoUkUyTy9aS0hzdDhCZS82ajVjOVNVbVJScXZJKzZiY2cw\n"
    "QmNxN1dpN2QwOHZEUXFqQzJjT2kxMTJDR3JhNW1hemQvTkNJQ0M4MW9Za01tVHh0\n"
    "TTlmaWNmSWh2dDluSGFaU1FoMjd0ekozeFJXT2Vnd3pET2FOanJ0Sjd5dkNYYlY5\n"
    "aVE2Ym9pQ2w2d2RtSW43azlzSTMwd0l1SGNWVTFDcitFTldocVZ5UmlBS2t0Z3Z4\n"
    "ZWdEbnF2UkIybjFhSEtvdnA2MEZzN1lJRHJjbHNjUkZpa1Y0NXgwUk5CZFZ0VWtX\n"
    "RDQzMHZaZ2Vra1pkbndwZUh4R1Y5VEllMkZDTm9vUXpVeng2djRmdDBzWjVTWUk0\n"
    "OTBGMnNZWnUvc2lnNElCL0tPelZmUFhCWDlka2Z0TGdaVFd0ZlA3R0k5TmpFaXRM\n"
    "bi9sWVRoMmpmU0tUWVpTTStCUXQxNm0yeWcvNFg3eGZ0QTJQM2ZTeVUxeldpbmVv\n"
    "Y3o0REt5aWxXbVZoUFJqeTlMclRQdFFXVlZOR3JWZlVzTll3V0hKWDZGd2tGN0pO\n"
    "YkNxTEVRdWVNalBoYzljbnI2NnVGK1d0MUlzdVRqMjc4TWd5WnFZbHI3bWtXOTF6\n"
    "eVdKTVNJWFRLbXF2NXVtOXlwYzNJSlVta3ZzNjdBOTFYQTh2c3BBUnNVTTRKdwpq\n"
    "WVBmaWxOQU1qRjB6R1JZTVlKcVIvY1RUemJpR3hRTWhHKzh6WmFpdGljCi0tLSA3\n"
    "d0NnS2M0dDhrS21LSlROcllzN01vTEtIazhTcXQ4WTNvVFpjMDhzUWpNCt3fctBv\n"
    "vKtX3z0NMSSWrSGM1/1vgHi7+IEt2HlHFV63vV6I\n"
    "-----END AGE ENCRYPTED FILE-----\n";
/* tests/keys/TEST-ONLY-ssh-rsa.key, in three forms. */
static const char rsa_openssh[] =
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAABFwAAAAdzc2gtcn\n"
    "NhAAAAAwEAAQAAAQEAzU2zbmvIuCHlRWzDr7OxLlfPbkFJvSifoN2qHNiPN+aspZA5w9X3\n"
    "Au8ax5HjqgXgBDKwutX8niwEndXmhtDZ/Nq5eU7BKiftcZw0mHK0G5DfRuv3VpRKRIRxMO\n"
    "kyBGArXZc7fGTtHvz6R5wMuySbYvpuz/b5d5WFh3GZEVApmr485fRBLzjImsYlOV6tpQL+\n"
    "nI6Ca5KX/5HbwtaslmcrDyYORZgEvsKWfvCc8dr5IDMm7qoSyilb9rRThXUzYb2U9gmyUE\n"
    "Eh5PMdQsUwt8hRcWmBOtrGyKLFHB/+W8epdLvC/Q9EHj7wWIAVuBu+wRzb/L2PlMLuOXuH\n"
    "bcwTps9e2QAAA8CXdMCKl3TAigAAAAdzc2gtcnNhAAABAQDNTbNua8i4IeVFbMOvs7EuV8\n"
    "9uQUm9KJ+g3aoc2I835qylkDnD1fcC7xrHkeOqBeAEMrC61fyeLASd1eaG0Nn82rl5TsEq\n"
    "J+1xnDSYcrQbkN9G6/dWlEpEhHEw6TIEYCtdlzt8ZO0e/PpHnAy7JJti+m7P9vl3lYWHcZ\n"
    "kRUCmavjzl9EEvOMiaxiU5Xq2lAv6cjoJrkpf/kdvC1qyWZysPJg5FmAS+wpZ+8Jzx2vkg\n"
    "MybuqhLKKVv2tFOFdTNhvZT2CbJQQSHk8x1CxTC3yFFxaYE62sbIosUcH/5bx6l0u8L9D0\n"
    "QePvBYgBW4G77BHNv8vY+Uwu45e4dtzBOmz17ZAAAAAwEAAQAAAQAIovLmjrXnwK2uK4eA\n"
    "FSSIOrOHcH6RxktDmQEui8UOMml2lCT8WJX2tq779vNql0SUY9SC7sl2fVgOLFQko9Vzv8\n"
    "WRjvvs+J24vu87ryGYzxHRec/StNP6yQG6lfWS13MJ+B8NjXDBmIQbB8gr7Dv1xtHrQWxY\n"
    "eNhtH8NM0uafjSHKkNbByxtZwbYbI7nFpMH+HWlTxvR0FFrOp5izUYXVgEdO2aZiDMZEGW\n"
    "zxHNdrsL8Akw7JUXbeojV5ce5Gpn+h+OCgTLE+cv7sRAlWxOY3LrGrcOVto6UgyuySQmpD\n"
    "G/TS2KqqkrWygkZv//j2zgmjyF0LrIzvcyoCIhB4OXQtAAAAgQDUGCX6R6/L+26BBveUdb\n"
    "0Igbva5sD1Ke/CbOT611gz5NaEj/ZJPu4uNAVnq8veZJglItqnS4gGdU1HftUwH3/kVx3d\n"
    "NigQd0I0aKyXHHkkLZSSqfrr5TwM1EVQi5/WTlYk4SEB09ls8jF2biRjgsq8vaA39X6iHF\n"
    "U1r3mJXdLylQAAAIEA6lqvr8ohF7VruZmvHJOds9E4GVFVxPgawSSj3T2HKblJ1OLxhB1G\n"
    "ESr+VURaMrepsFf3yrjFK2imxzBagQBpCt1DFumatoUB3BCS5CZJVtFHy3Cc1tIW+47eEb\n"
    "kpgJeoIizH9O0/2XZ+D/o3kbq/3gTuFiCN6uZYzftwPWxn/G0AAACBAOBEG/um5NH9Fg3H\n"
    "TfukVB/T3bK74PV1AcpnOixH7AVFMP8VOLOXH3o19/MeiwmFmXL5gimTgF9mq4FS74RGMN\n"
    "Lod2acFR0sCpakLTgsBOgvm4vtWqMufWEJ4THY3s3bicaA8W4Ze5piVUhFW7x8NiormviM\n"
    "JCF/k6HWmX49FdCdAAAACVRFU1QtT05MWQE=\n"
    "-----END OPENSSH PRIVATE KEY-----\n";
static const char rsa_pkcs1[] = "-----BEGIN RSA PRIVATE KEY-----\n"
                                "MIIEpQIBAAKCAQEAzU2zbmvIuCHlRWzDr7OxLlfPbkFJvSifoN2qHNiPN+aspZA5\n"
                                "w9X3Au8ax5HjqgXgBDKwutX8niwEndXmhtDZ/Nq5eU7BKiftcZw0mHK0G5DfRuv3\n"
                                "VpRKRIRxMOkyBGArXZc7fGTtHvz6R5wMuySbYvpuz/b5d5WFh3GZEVApmr485fRB\n"
                                "LzjImsYlOV6tpQL+nI6Ca5KX/5HbwtaslmcrDyYORZgEvsKWfvCc8dr5IDMm7qoS\n"
                                "yilb9rRThXUzYb2U9gmyUEEh5PMdQsUwt8hRcWmBOtrGyKLFHB/+W8epdLvC/Q9E\n"
                                "Hj7wWIAVuBu+wRzb/L2PlMLuOXuHbcwTps9e2QIDAQABAoIBAAii8uaOtefAra4r\n"
                                "h4AVJIg6s4dwfpHGS0OZAS6LxQ4yaXaUJPxYlfa2rvv282qXRJRj1ILuyXZ9WA4s\n"
                                "VCSj1XO/xZGO++z4nbi+7zuvIZjPEdF5z9K00/rJAbqV9ZLXcwn4Hw2NcMGYhBsH\n"
                                "yCvsO/XG0etBbFh42G0fw0zS5p+NIcqQ1sHLG1nBthsjucWkwf4daVPG9HQUWs6n\n"
                                "mLNRhdWAR07ZpmIMxkQZbPEc12uwvwCTDslRdt6iNXlx7kamf6H44KBMsT5y/uxE\n"
                                "CVbE5jcusatw5W2jpSDK7JJCakMb9NLYqqqStbKCRm//+PbOCaPIXQusjO9zKgIi\n"
                                "EHg5dC0CgYEA6lqvr8ohF7VruZmvHJOds9E4GVFVxPgawSSj3T2HKblJ1OLxhB1G\n"
                                "ESr+VURaMrepsFf3yrjFK2imxzBagQBpCt1DFumatoUB3BCS5CZJVtFHy3Cc1tIW\n"
                                "+47eEbkpgJeoIizH9O0/2XZ+D/o3kbq/3gTuFiCN6uZYzftwPWxn/G0CgYEA4EQb\n"
                                "+6bk0f0WDcdN+6RUH9Pdsrvg9XUBymc6LEfsBUUw/xU4s5cfejX38x6LCYWZcvmC\n"
                                "KZOAX2argVLvhEYw0uh3ZpwVHSwKlqQtOCwE6C+bi+1aoy59YQnhMdjezduJxoDx\n"
                                "bhl7mmJVSEVbvHw2Kiua+IwkIX+TodaZfj0V0J0CgYEAl+En5QxhQAVCiGlyVFnS\n"
                                "pZvc+IN+y4VjiXLeg96BP2gm0kI19cInC69KXyZKMn5XCcMpAweWONi85XCP5vTG\n"
                                "HtVgynOg4dL3bpCLMjMh6pL9LXqRGqPTYzqm7uOKYx1mSKeu+yva6mthraci5l4a\n"
                                "RJ/7UPnOH8MjIHNovVYJWk0CgYEAxDrUQV3G2faZVXUOxyECetbnJX0/WYcIChJI\n"
                                "1HYaDoJ8XLY05u9Um5qdWh1fivVbTz8CpV5q9Q7hAkePTC4eimzeDOqFjwD6QtVk\n"
                                "u8HIiWEeuVD1/dKv4jjC0trwGS//XbF1juC9RljERnhpzILi4gNFljUJaEY452Le\n"
                                "65aHgAECgYEA1Bgl+kevy/tugQb3lHW9CIG72ubA9Snvwmzk+tdYM+TWhI/2ST7u\n"
                                "LjQFZ6vL3mSYJSLap0uIBnVNR37VMB9/5Fcd3TYoEHdCNGislxx5JC2Ukqn66+U8\n"
                                "DNRFUIuf1k5WJOEhAdPZbPIxdm4kY4LKvL2gN/V+ohxVNa95iV3S8pU=\n"
                                "-----END RSA PRIVATE KEY-----\n";
static const char rsa_pkcs8[] = "-----BEGIN PRIVATE KEY-----\n"
                                "MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDNTbNua8i4IeVF\n"
                                "bMOvs7EuV89uQUm9KJ+g3aoc2I835qylkDnD1fcC7xrHkeOqBeAEMrC61fyeLASd\n"
                                "1eaG0Nn82rl5TsEqJ+1xnDSYcrQbkN9G6/dWlEpEhHEw6TIEYCtdlzt8ZO0e/PpH\n"
                                "nAy7JJti+m7P9vl3lYWHcZkRUCmavjzl9EEvOMiaxiU5Xq2lAv6cjoJrkpf/kdvC\n"
                                "1qyWZysPJg5FmAS+wpZ+8Jzx2vkgMybuqhLKKVv2tFOFdTNhvZT2CbJQQSHk8x1C\n"
                                "xTC3yFFxaYE62sbIosUcH/5bx6l0u8L9D0QePvBYgBW4G77BHNv8vY+Uwu45e4dt\n"
                                "zBOmz17ZAgMBAAECggEACKLy5o6158CtriuHgBUkiDqzh3B+kcZLQ5kBLovFDjJp\n"
                                "dpQk/FiV9rau+/bzapdElGPUgu7Jdn1YDixUJKPVc7/FkY777PiduL7vO68hmM8R\n"
                                "0XnP0rTT+skBupX1ktdzCfgfDY1wwZiEGwfIK+w79cbR60FsWHjYbR/DTNLmn40h\n"
                                "ypDWwcsbWcG2GyO5xaTB/h1pU8b0dBRazqeYs1GF1YBHTtmmYgzGRBls8RzXa7C/\n"
                                "AJMOyVF23qI1eXHuRqZ/ofjgoEyxPnL+7EQJVsTmNy6xq3DlbaOlIMrskkJqQxv0\n"
                                "0tiqqpK1soJGb//49s4Jo8hdC6yM73MqAiIQeDl0LQKBgQDqWq+vyiEXtWu5ma8c\n"
                                "k52z0TgZUVXE+BrBJKPdPYcpuUnU4vGEHUYRKv5VRFoyt6mwV/fKuMUraKbHMFqB\n"
                                "AGkK3UMW6Zq2hQHcEJLkJklW0UfLcJzW0hb7jt4RuSmAl6giLMf07T/Zdn4P+jeR\n"
                                "ur/eBO4WII3q5ljN+3A9bGf8bQKBgQDgRBv7puTR/RYNx037pFQf092yu+D1dQHK\n"
                                "ZzosR+wFRTD/FTizlx96NffzHosJhZly+YIpk4BfZquBUu+ERjDS6HdmnBUdLAqW\n"
                                "pC04LAToL5uL7VqjLn1hCeEx2N7N24nGgPFuGXuaYlVIRVu8fDYqK5r4jCQhf5Oh\n"
                                "1pl+PRXQnQKBgQCX4SflDGFABUKIaXJUWdKlm9z4g37LhWOJct6D3oE/aCbSQjX1\n"
                                "wicLr0pfJkoyflcJwykDB5Y42LzlcI/m9MYe1WDKc6Dh0vdukIsyMyHqkv0tepEa\n"
                                "o9NjOqbu44pjHWZIp677K9rqa2GtpyLmXhpEn/tQ+c4fwyMgc2i9VglaTQKBgQDE\n"
                                "OtRBXcbZ9plVdQ7HIQJ61uclfT9ZhwgKEkjUdhoOgnxctjTm71Sbmp1aHV+K9VtP\n"
                                "PwKlXmr1DuECR49MLh6KbN4M6oWPAPpC1WS7wciJYR65UPX90q/iOMLS2vAZL/9d\n"
                                "sXWO4L1GWMRGeGnMguLiA0WWNQloRjjnYt7rloeAAQKBgQDUGCX6R6/L+26BBveU\n"
                                "db0Igbva5sD1Ke/CbOT611gz5NaEj/ZJPu4uNAVnq8veZJglItqnS4gGdU1HftUw\n"
                                "H3/kVx3dNigQd0I0aKyXHHkkLZSSqfrr5TwM1EVQi5/WTlYk4SEB09ls8jF2biRj\n"
                                "gsq8vaA39X6iHFU1r3mJXdLylQ==\n"
                                "-----END PRIVATE KEY-----\n";
/* Keys for nothing else: with a passphrase, of 1024 bits, and of Ed25519. */
static const char rsa_locked[] =
    "-----BEGIN RSA PRIVATE KEY-----\n"
    "Proc-Type: 4,ENCRYPTED\n"
    "DEK-Info: AES-128-CBC,75D12CDFA928214A733D02CA415ACB71\n"
    "\n"
    "Hrzz1iGprPIfhPzs5jX//KcPs7TW1LsaTx9La+j1GF2cn5MPsdrPjzTNBX9AGQGN\n"
    "N+ruckxD+5fyxU9QqQJDzZVqn3hrnWq/xERzPZDTu07p4ucp3qBpls8al4vuAUzC\n"
    "9d2kXWzBEXKK3LSf7ZGrg/ofHJdZpH3AYYvEDqBrtt8MHHx9r7CWgxZBxURve4l5\n"
    "bssUFBE6eOURQVy9RIev+g/p00vD2Hmt88aOw2q17sXs6P3cFqpnrTaIyJMFsm8P\n"
    "bp4zyuPb3hx0Zne77ccXJYA+1C8XNdhI8Rak6rgztSE6v1pU+/Z/HlyXqIaO7RtV\n"
    "iIBAx+istLRum7B9Rchfc7d8ClwXwzeAovl4uaztM6ofsHRy0a3/lJS8S6OuLONC\n"
    "zuijOhQsMGMkt+M5UMzaANh4f+nSMyGwrRYH0/i53rLzt01Ejtxz4yv1OcYI0kaF\n"
    "LWYFwVXmSN216AZzeQ1N3YSZW/LfTRaevGvypOlAmxm+ckKZ2bzc6oo/W9I2RkUm\n"
    "FhY9LdagrlW63xFJ+iKLELuiWC57SCDbnR8LkLey+49IpFZgVdRK7w7OkAjsM+3L\n"
    "9k0OnCHRsPFQc6O+oMbY9rOmVcxGkdaMMl5k03KLLQcW1soBhuotPN8u9ev3Nfkl\n"
    "fSj9XKXbpNWEZ0KvvTywC+ZTh+ieiXDSUFTGqTmPpVmGRvtBIC+9hgVW2wly2SnE\n"
    "ky1Ypu8gcMzyeX/TPof0160w9vclmnvGcXHnDpbtZ8gyai5GUHL0T4N6vIn4uX5h\n"
    "HCPPtPVv+67vGDcOY7sdDky+l0b7bP6To4a0ygc/G0Jz3VCc67LzCfUTCWfZdrp3\n"
    "JaXoO4snjiugjg2YozqOu0HYtg5usJjFKdXy0RfMfiq8cRTbqZSUcydTAg9tvYIH\n"
    "kMyvgnbYhLINN45b7B0CgJ7HFHZMSiq+z3YX4rO6IbplN+fnZXTlxRaB1Svdxvl/\n"
    "vWomPFnAeZI08eiWJWd5iQU3R8iHTjDxOQ4SiKbpggwCE3H4vfhvynDk9XRb0W4V\n"
    "UZRPOZNYcSFHDhAgqtXPgR+Yt8V6cBP9xHgomxWlhGBUzIBwzt/DKDmnJKXwgJpo\n"
    "rWZB6YNq1RL1lwGmXty16pcrFatx1PipJDFepS+KyU37dqiJmM22i02wrOjCN0O2\n"
    "EQojyUDfwGIRamMzUEAXBUPxYwoVLdtwmJwQeQH198hGdIomuUJeRT/IwghG8DA9\n"
    "8d4yCrGAJF7NgDI7Z8X/3hNHdZLvtHcvsmSPqHnXfZ+i+Pr+zJKQitEb6BbICLVX\n"
    "8BaGKW7DsS5qD1qS7sthapvo6b6ggVi/k9Ijq12tQTd3Ck2E/oIaeihfZU69x4rn\n"
    "/GTd1d0y86AHp4XOmhD8Hrb5lCeV6uUCpRuqqqykkwPa2H3Umq08ak9621HSDBuz\n"
    "+0Yq/TuA2vwpo9avfFNmcxgY4lP9Q4idGtOhu2KSdVhZv7tols7ZgEaAiX60bSLI\n"
    "/JGw7NySF0qRqlWEwTxYeJX/ztVhMAlvHDVD22HZdcqXF5RsSG7tbT4OIAZ+Geh3\n"
    "czMMWb9dZaIXH63dYDxgGqylzqyLKlmXwdzurb8siqP/IXTRY9dlCdKRnGq9Hf1H\n"
    "-----END RSA PRIVATE KEY-----\n";
static const char rsa_small[] =
    "-----BEGIN OPENSSH PRIVATE KEY-----\n"
    "b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAABAAAAlwAAAAdzc2gtcn\n"
    "NhAAAAAwEAAQAAAIEAzF3AtW3jXQodnNWnfVE1RPKFLrnzsQA5FcuwSOWehfnISiEl0gu/\n"
    "5F7yAB7+61exCjXhiicbgtaQ2b3CyTIi8hd0acvYXZwU/8GRNuBcCYXh/6fy5dYxNjDmLn\n"
    "gygdiTOUmfDmVmjzP9vSvjFlRsuM9lvlkzBv0IR6X9skjylncAAAH4Z3KlAGdypQAAAAAH\n"
    "c3NoLXJzYQAAAIEAzF3AtW3jXQodnNWnfVE1RPKFLrnzsQA5FcuwSOWehfnISiEl0gu/5F\n"
    "7yAB7+61exCjXhiicbgtaQ2b3CyTIi8hd0acvYXZwU/8GRNuBcCYXh/6fy5dYxNjDmLngy\n"
    "gdiTOUmfDmVmjzP9vSvjFlRsuM9lvlkzBv0IR6X9skjylncAAAADAQABAAAAgB3O4ufTom\n"
    "EUs6MHisl9ic6HrSNWnhPIG4txTUIks82I1EzzrseHTTLrIlMgMkBzZvA9UatL7vhTgYcw\n"
    "5XNhK7Vu8lu9lZjFA2QwN4K9rCb9feCbQOVSJFWzheLg0BShnihNJQC1IA+McF0SPEtaHB\n"
    "OWo30ZfUFDuh/8xTEajaUZAAAAQQD4W4OdXNL6EmNemulzBHNbuqN3kZbBrvwRU4QeRo13\n"
    "2NS4pwm1ZnfYaqZ6UfyLi0C3u92xVrmEkcqdecad28csAAAAQQD6ysdA+nsaCOhOgrQvGS\n"
    "R9nobcy2kJvwFgFLhKlwo6sxAGtBruiyQdnexzPOaT9z+ZtwIUyUSZXQU4NSNuULuLAAAA\n"
    "QQDQnCwlHdQVXY3b4sBdQIUqabZpyq0A5IMS3w4/vTnr10WkJs+FTFzacM7ADscNyoLpfQ\n"
    "lsjGTRHNh1hLK/WV5FAAAAAXgB\n"
    "-----END OPENSSH PRIVATE KEY-----\n";
static const char ed25519_pkcs8[] =
    "-----BEGIN PRIVATE KEY-----\n"
    "MC4CAQAwBQYDK2VwBCIEIJ2Y3aESsx+0R+YlUc5PyZhQYvlZaj8DRT4KFcgWgScw\n"
    "-----END PRIVATE KEY-----\n";
/* age 1.1.1's file for the RSA key. */
static const char rsa_file[] = "-----BEGIN AGE ENCRYPTED FILE-----\n"
                               "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IHNzaC1yc2EgOVZBVXJ3CkQ2SXdXVVFZ\n"
                               "UDZsZ3NDU1gveDJ6QlNCRXplUkUyc3hVa0NQZ1F5WnhqMHpWZWZBNkc0R1g2NDdZ\n"
                               "eDZSV1VSSmMKaDZrNCszM2Q2RWd3enNQRWdJRHFpb1o4S1l2aUNEOWVlTGJETVc1\n"
                               "dEo5TjF4Ly9uM2RwMFhRRkp5dTVIMExVVAp5SFY0T0lZQlJCaDZ2UDdKdlJwcXlY\n"
                               "MEFjSTZ3SE0wdzdjVTdXckJaRi9HYjdGNlpEang4TXMyMjkzSDZFVU5TCjZOcDlY\n"
                               "Wmx6azhFaCtSN0ErQlRGTGVVd2dSU2VQcVNMdnVGSXBqMzdqOXl3ek9PTGI5Z0dl\n"
                               "S0Y2ZE82K3JVaTQKQUlFYWdMQ1ZKb045N1RpMm1rNmtQV2JSeENpRjg0RDNyZ0RI\n"
                               "VGtFUVJlcDI1cXgvbk5UcmU2NFJ0T1dReVVMVgpmSUI0aHVtZWlJV0oyYjRYQXp3\n"
                               "V21BCi0tLSBQN0dpL25LOHpmdXRYU25RL1hnNEx2S3VrQVM4ckdFWHlZR3hhYytw\n"
                               "TktnCkGkCMxxFIIvEgzMN1v4kr/jC46PViQb1Uyok5ODU+wYJWvPzNI=\n"
                               "-----END AGE ENCRYPTED FILE-----\n";

static struct arena *arena;
static struct sink sink;

static int set_up(void **state)
{
	(void)state;
	seal_init();
	arena = arena_new(ARENA_SECRET);
	sink = sink_in(arena);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	arena_free(arena);
	return 0;
}

/* Adds a key file, and returns what is said about it. */
static sv add_keys(struct seal_identities *identities, sv text)
{
	struct sink own = sink_in(arena);
	struct buf buf = buf_in(arena);
	enum status status =
	    seal_identities_add(&own, identities, source_new(arena, SV("keys.txt"), text, true));

	VEC_EACH (diag, &own.diags)
		buf_printf(&buf, "%.*s\n", SV_ARG((*diag)->text));
	assert_int_equal(status == STATUS_OK, buf.len == 0);
	return buf_sv(&buf);
}

static struct seal_identities *identities_of(sv text)
{
	struct seal_identities *identities = seal_identities_new();

	assert_sv(add_keys(identities, text), "");
	assert_int_equal(seal_identities_count(identities), 1);
	return identities;
}

/* Returns the only diagnostic about a recipient, or null if there is none. */
static const struct diag *recipient_diag(sv text, struct seal_recipients *ret_recipients)
{
	struct sink *own = ARENA_NEW(arena, struct sink);
	struct seal_recipient_text given = {.text = text};

	*own = sink_in(arena);
	if (seal_recipients_parse(arena, own, sealer_format_find(SV("sops")), SV("cluster c"),
	                          &given, 1, ret_recipients) == STATUS_OK)
		return NULL;
	assert_diag_count(own, 1);
	return own->diags.items[0];
}

static sv hybrid_recipient(void)
{
	SEAL_IDENTITIES_AUTO identities = identities_of(SV(HYBRID_IDENTITY));

	return arena_dup(arena, seal_identities_recipient(arena, identities));
}

/* Prints a word if libcrypto lacks ML-KEM-768: the tests then are of what is refused. */
static bool has_lattice(void)
{
	if (!xwing_is_available())
		print_message("libcrypto %s has no ML-KEM-768\n", codec_crypto_version());
	return xwing_is_available();
}

/* ---- post-quantum keys ------------------------------------------------------------------- */

/* The words with which a libcrypto without ML-KEM-768 refuses them. */
static void check_refused(void)
{
	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	struct seal_recipients recipients;
	const uint8_t bytes[XWING_PUBLIC_SIZE] = {0};
	struct buf recipient = buf_in(arena);

	bech32_add(&recipient, AGE_HYBRID_PREFIX, bytes, sizeof(bytes));
	const struct diag *diag = recipient_diag(buf_sv(&recipient), &recipients);
	assert_non_null(diag);
	assert_int_equal(diag->code, DIAG_POST_QUANTUM);
	assert_contains(diag->text, "recipient age1pq1qqqqqqqqqqqqqqqqq... is post-quantum");
	assert_contains(diag->help, "the static program");
	/* A mistake in its text is one on every system. */
	diag = recipient_diag(SV("age1pq1xyz"), &recipients);
	assert_non_null(diag);
	assert_int_equal(diag->code, DIAG_RECIPIENT_INVALID);
	assert_sv(add_keys(identities, SV(HYBRID_IDENTITY)),
	          "this line is a post-quantum identity, for which this system's libcrypto lacks "
	          "ML-KEM-768; the static program has it\n");
	/* Another line of the file may open everything. */
	assert_sv(add_keys(identities, SV(HYBRID_IDENTITY "\n" X25519_IDENTITY)), "");
	assert_int_equal(seal_identities_count(identities), 1);
	assert_contains(sv_from_cstr(seal_passed_over(identities)), "post-quantum");
}

static void test_refused(void **state)
{
	(void)state;
	/* No provider has what these properties ask for. */
	assert_int_equal(EVP_set_default_properties(NULL, "provider=none"), 1);
	check_refused();
	assert_int_equal(EVP_set_default_properties(NULL, ""), 1);
	if (!has_lattice())
		check_refused();
}

/*
 * CCTV's randomness is the ChaCha20 key stream of a fixed key: X25519's ephemeral key, ML-KEM's
 * coins, the nonce.
 */
static void test_hybrid_vector(void **state)
{
	static const uint8_t zero_nonce[crypto_stream_chacha20_ietf_NONCEBYTES] = {0};
	struct age_coins coins = {0};
	struct buf file = buf_in(arena);
	struct seal_recipients recipients;
	uint8_t stream[80];
	sv want;
	sv plain;

	(void)state;
	if (!has_lattice())
		return;
	SEAL_IDENTITIES_AUTO identities = identities_of(SV(HYBRID_IDENTITY));
	SEAL_IDENTITIES_AUTO others = identities_of(SV(X25519_IDENTITY));
	assert_true(age_armor_decode(arena, sv_from_cstr(hybrid_file), &want));
	assert_int_equal(age_decrypt(arena, want, identities, &plain), AGE_FINE);
	assert_sv(plain, "age");
	assert_int_equal(age_decrypt(arena, want, others, &plain), AGE_NO_MATCH);

	crypto_stream_chacha20_ietf(stream, sizeof(stream), zero_nonce,
	                            (const uint8_t *)"TEST RANDOMNESS TEST RANDOMNESS!");
	memcpy(coins.file_key, "YELLOW SUBMARINE", AGE_FILE_KEY_SIZE);
	memcpy(coins.ephemeral, stream, 32);
	memcpy(coins.encapsulation, stream + 32, 32);
	memcpy(coins.nonce, stream + 64, AGE_NONCE_SIZE);
	assert_null(recipient_diag(hybrid_recipient(), &recipients));
	age_encrypt(&file, recipients.items[0].key, &coins, SV("age"));
	assert_true(sv_eq(buf_sv(&file), want));
	/* Whatever changes in it, it does not open. */
	for (size_t i = 0; i < file.len; i += 7) {
		file.ptr[i] ^= 1;
		assert_int_not_equal(age_decrypt(arena, buf_sv(&file), identities, &plain),
		                     AGE_FINE);
		file.ptr[i] ^= 1;
	}
}

static void check_recipient(sv text, enum diag_code code, const char *what)
{
	struct seal_recipients recipients;
	const struct diag *diag = recipient_diag(text, &recipients);

	assert_non_null(diag);
	assert_int_equal(diag->code, code);
	assert_contains(diag->text, what);
}

static sv with_prefix(sv prefix, const uint8_t *bytes, size_t size)
{
	struct buf text = buf_in(arena);

	bech32_add(&text, prefix, bytes, size);
	return buf_sv(&text);
}

static void test_hybrid_mistakes(void **state)
{
	uint8_t key[XWING_PUBLIC_SIZE] = {0};
	char *copy;

	(void)state;
	if (!has_lattice())
		return;
	sv text = hybrid_recipient();
	assert_int_equal(text.len, 1959);
	copy = arena_alloc_text(arena, text.len);
	memcpy(copy, text.ptr, text.len);
	copy[100] = copy[100] == 'q' ? 'p' : 'q';
	check_recipient(sv_from(copy, text.len), DIAG_RECIPIENT_INVALID, "its checksum is wrong");
	check_recipient(sv_slice(text, 0, 900), DIAG_RECIPIENT_INVALID, "its checksum is wrong");
	check_recipient(with_prefix(AGE_HYBRID_PREFIX, key, 32), DIAG_RECIPIENT_INVALID,
	                "not an age recipient");
	check_recipient(with_prefix(AGE_HYBRID_PREFIX, key, XWING_PUBLIC_SIZE - 1),
	                DIAG_RECIPIENT_INVALID, "not an age recipient");
	/* The point is of low order; then a coefficient is too large. */
	check_recipient(with_prefix(AGE_HYBRID_PREFIX, key, sizeof(key)), DIAG_RECIPIENT_INVALID,
	                "its bytes are not those of ML-KEM-768 and X25519");
	memset(key, 0xff, sizeof(key));
	check_recipient(with_prefix(AGE_HYBRID_PREFIX, key, sizeof(key)), DIAG_RECIPIENT_INVALID,
	                "its bytes are not those of ML-KEM-768 and X25519");
	check_recipient(SV(HYBRID_IDENTITY), DIAG_RECIPIENT_INVALID, "a secret key");

	SEAL_IDENTITIES_AUTO identities = seal_identities_new();
	assert_sv(add_keys(identities, sv_slice(SV(HYBRID_IDENTITY), 0, 70)),
	          "this line is mistyped or cut off: its checksum is wrong\n");
	assert_sv(add_keys(identities, with_prefix(SV("AGE-SECRET-KEY-PQ-"), key, 31)),
	          "this line is not an age identity\n");
	assert_int_equal(seal_identities_count(identities), 0);
	/* Both lines of a file are used. */
	assert_sv(add_keys(identities, SV(X25519_IDENTITY "\n" HYBRID_IDENTITY)), "");
	assert_int_equal(seal_identities_count(identities), 2);
	assert_null(seal_passed_over(identities));
}

/* ---- SSH's RSA --------------------------------------------------------------------------- */

static void test_rsa_identity(void **state)
{
	static const char *const forms[] = {rsa_openssh, rsa_pkcs1, rsa_pkcs8};
	struct seal_texts names = {0};
	sv file;
	sv plain;

	(void)state;
	VEC_PUSH(arena, &names, SV(RSA_RECIPIENT));
	assert_true(age_armor_decode(arena, sv_from_cstr(rsa_file), &file));
	for (size_t i = 0; i < COUNT_OF(forms); i++) {
		SEAL_IDENTITIES_AUTO identities = identities_of(sv_from_cstr(forms[i]));
		SEAL_IDENTITIES_AUTO named = seal_identities_of(arena, identities, &names);

		assert_sv(seal_identities_recipient(arena, identities), RSA_RECIPIENT);
		assert_int_equal(age_decrypt(arena, file, identities, &plain), AGE_FINE);
		assert_sv(plain, "plain");
		assert_int_equal(age_decrypt(arena, file, named, &plain), AGE_FINE);
	}
	SEAL_IDENTITIES_AUTO identities = identities_of(sv_from_cstr(rsa_openssh));
	SEAL_IDENTITIES_AUTO other = identities_of(SV(X25519_IDENTITY));
	assert_int_equal(age_decrypt(arena, file, other, &plain), AGE_NO_MATCH);
	for (size_t i = 0; i < file.len; i++) {
		char *copy = arena_alloc_text(arena, file.len);

		memcpy(copy, file.ptr, file.len);
		copy[i] ^= 1;
		assert_int_not_equal(
		    age_decrypt(arena, sv_from(copy, file.len), identities, &plain), AGE_FINE);
	}
}

/* A file with known coins, which age opens with tests/keys/TEST-ONLY-ssh-rsa.key. */
static void test_rsa_recipient(void **state)
{
	SEAL_IDENTITIES_AUTO identities = identities_of(sv_from_cstr(rsa_openssh));
	struct age_recipient recipient;
	struct age_coins coins;
	struct buf file = buf_in(arena);
	sv text;
	sv plain;

	(void)state;
	memset(&coins, 7, sizeof(coins));
	assert_null(age_ssh_parse(arena, SV(RSA_RECIPIENT " a comment"), &recipient, &text));
	assert_sv(text, RSA_RECIPIENT);
	age_encrypt(&file, &recipient, &coins, SV("plain"));
	assert_true(sv_starts_with(buf_sv(&file), SV("age-encryption.org/v1\n-> ssh-rsa ")));
	assert_sv(digest_hex(arena, DIGEST_SHA256, buf_sv(&file)),
	          "76f8c23d5ede12c5219b770da53c427740c671675dbf4cdf2869b12e02c3a3cc");
	assert_int_equal(age_decrypt(arena, buf_sv(&file), identities, &plain), AGE_FINE);
	assert_sv(plain, "plain");
}

static void test_rsa_mistakes(void **state)
{
	static const struct {
		const char *key;
		const char *said;
	} cases[] = {
	    {rsa_locked, "this line is an SSH key with a passphrase\n"},
	    {rsa_small, "this line is an RSA key of another size than 2048 to 16384 bits\n"},
	    {"-----BEGIN RSA PRIVATE KEY-----\nMAA=\n-----END RSA PRIVATE KEY-----\n",
	     "this line is the beginning of a private key that is damaged or cut off\n"},
	    {"-----BEGIN EC PRIVATE KEY-----\nMAA=\n-----END EC PRIVATE KEY-----\n",
	     "this line is an SSH key of another type than ssh-ed25519 and ssh-rsa\n"},
	    {"-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n",
	     "this line is an SSH key with a passphrase\n"},
	};
	sv key = sv_from_cstr(rsa_openssh);
	size_t refused = 0;

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		SEAL_IDENTITIES_AUTO identities = seal_identities_new();

		assert_sv(add_keys(identities, sv_from_cstr(cases[i].key)), cases[i].said);
	}
	/* A changed key is refused, or it is the same one: nothing depends on its comment. */
	for (size_t i = 40; i + 40 < key.len; i += 13) {
		SEAL_IDENTITIES_AUTO identities = seal_identities_new();
		char *copy = arena_alloc_text(arena, key.len);

		memcpy(copy, key.ptr, key.len);
		copy[i] = copy[i] == 'A' ? 'B' : 'A';
		if (sv_empty(add_keys(identities, sv_from(copy, key.len))))
			assert_sv(seal_identities_recipient(arena, identities), RSA_RECIPIENT);
		else
			refused++;
	}
	assert_true(refused > 50);
	check_recipient(SV("ssh-rsa AAAA"), DIAG_RECIPIENT_INVALID, "mistyped or cut off");
	check_recipient(sv_slice(SV(RSA_RECIPIENT), 0, 108), DIAG_RECIPIENT_INVALID,
	                "mistyped or cut off");
	/* Exponent 3, and a modulus of 16 bits. */
	check_recipient(SV("ssh-rsa AAAAB3NzaC1yc2EAAAABAwAAAAMAgAE="), DIAG_RECIPIENT_INVALID,
	                "an RSA key of less than 2048");
	/* PKCS #8 may hold an Ed25519 key. */
	SEAL_IDENTITIES_AUTO identities = identities_of(sv_from_cstr(ed25519_pkcs8));
	assert_sv(
	    seal_identities_recipient(arena, identities),
	    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN5b4bbkngOCMrDpa0LiGVzUK/CdyFfrvPK0248l8GjW");
}

/* ---- objects ----------------------------------------------------------------------------- */

/* Seals an object to the recipient, and opens it again with the key. */
static void check_object(sv recipient, sv key)
{
	struct fixture *f = fixture_open(arena_new(ARENA_SECRET), "sops", recipient);
	struct value object = yaml_value_of(
	    f->arena, SV("apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: n}\n"
	                 "stringData: {token: the token}\n"));
	struct seal_request request = {
	    .cluster = SV("c"),
	    .object = &object,
	    .rule = seal_rule_secret,
	    .recipients = &f->recipients,
	};
	struct buf first = buf_in(f->arena);
	struct buf second = buf_in(f->arena);
	struct value opened;

	assert_int_equal(sealer_seal(&f->sink, f->sealer, &request, &first), STATUS_OK);
	assert_int_equal(sealer_seal(&f->sink, f->sealer, &request, &second), STATUS_OK);
	assert_true(sv_eq(buf_sv(&first), buf_sv(&second)));
	assert_int_equal(
	    seal_identities_add(&f->sink, f->identities, source_new(f->arena, SV("k"), key, true)),
	    STATUS_OK);
	struct value sealed = yaml_value_of(f->arena, buf_sv(&first));
	assert_int_equal(seal_open(f->arena, &f->sink, &sealed, 1, f->identities, &opened),
	                 STATUS_OK);
	assert_sv(value_text(value_path(&opened, "stringData.token")), "the token");
	fixture_free(f);
}

static void test_objects(void **state)
{
	(void)state;
	check_object(SV(RSA_RECIPIENT), sv_from_cstr(rsa_openssh));
	if (has_lattice())
		check_object(hybrid_recipient(), SV(HYBRID_IDENTITY));
}

UNIT_TESTS(seal_kinds)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(test_refused, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_hybrid_vector, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_hybrid_mistakes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rsa_identity, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rsa_recipient, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_rsa_mistakes, set_up, tear_down),
	    cmocka_unit_test_setup_teardown(test_objects, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
